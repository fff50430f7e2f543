"""The command as a process of its own, which has loaded the generator of models.

A command that watches generates again and again, and each process for models is a copy of it.
"""

if __name__ == "__main__":
    import datamodel_code_generator.parser.openapi  # noqa: F401

    from specwright.cli import main

    main()
