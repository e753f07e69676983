"""Who sees what: the bodies that leave the service, built field by field for the GM and for players."""
