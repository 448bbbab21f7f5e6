"""The paper: its datasets, experiments and report. Needs the extra `paper`."""
