"""Bridges to other packages, one room per package; each needs the package, and nothing else here needs them."""
