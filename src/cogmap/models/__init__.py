"""`MapModel`: a map with what turns a table into first states and states into predictions. NumPy and SciPy only."""
