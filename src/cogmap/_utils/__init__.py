"""Helpers without a subject of their own: parameter checks, files, optional packages, threads, sums over segments."""
