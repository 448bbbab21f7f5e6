"""`MapModel`: a map with the encoding of features and the link to predictions. Needs only NumPy and SciPy."""
