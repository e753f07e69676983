"""`python -m service` is the command `alarum`."""

from service.cli import main

main()
