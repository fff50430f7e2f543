"""`python -m specwright`, the same as the command `specwright`."""

from specwright.cli import main

if __name__ == "__main__":
    main()
