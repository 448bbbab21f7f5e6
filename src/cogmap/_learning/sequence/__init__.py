"""Learning maps from time series and from observed runs."""
