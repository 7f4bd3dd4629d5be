"""The ``raven`` command: one short file a subcommand."""
