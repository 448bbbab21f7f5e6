"""The command line: one module per command.

Nothing is imported here: the program first installs signal handlers (`stopping`), and then imports what it needs.
"""
