"""Experiments that compare the map with other methods."""
