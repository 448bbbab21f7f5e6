"""Experiments: what the map is compared with."""
