"""Reproduction of the paper: datasets, experiments and report. Needs the extra `paper`."""
