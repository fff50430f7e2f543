"""`python -m specwright` is the command `specwright`."""

from specwright.cli import main

if __name__ == "__main__":
    main()
