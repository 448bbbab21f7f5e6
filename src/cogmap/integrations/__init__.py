"""Bridges to other packages, one module per package; each needs the package, and nothing else here needs them."""
