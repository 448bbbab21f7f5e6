"""The command line: one file per command.

Nothing is imported here: the command first says how it can be stopped (`stopping`), and then imports what it needs.
"""
