"""Run all benchmarks, or those named: ``python -m benchmarks gradient fitting scaling importing``."""

import sys
from importlib import import_module

ALL = ["gradient", "fitting", "scaling", "importing"]

for name in sys.argv[1:] or ALL:
    import_module(f"benchmarks.{name}").main()
