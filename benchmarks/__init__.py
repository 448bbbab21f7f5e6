"""Benchmarks of speed and memory, as ratios measured in one run. ``make bench`` runs them."""
