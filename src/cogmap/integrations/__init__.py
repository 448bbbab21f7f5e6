"""Bridges to other packages, one file per package; nothing else imports them."""
