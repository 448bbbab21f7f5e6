"""Shared helpers: parameter checks, files, optional imports, threads, sums over segments."""
