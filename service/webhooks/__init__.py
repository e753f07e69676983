"""Telling others: messages, signatures, when to try again, and where the service may connect to. Knows no store."""
