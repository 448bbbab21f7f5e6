"""Integrations with other packages, one module each. Nothing else in cogmap depends on them."""
