"""The routes, one module a resource. A view parses nothing itself: it calls its use case and gives the answer."""
