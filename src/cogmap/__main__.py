"""The command ``cogmap``, also as ``python -m cogmap``."""

import sys


def main() -> None:
    """Run the command, or say what it needs."""
    try:
        from cogmap.cli import cli
    except ModuleNotFoundError as missing:
        if missing.name and missing.name.split(".")[0] == "cogmap":
            raise
        sys.exit(f"cogmap: the command needs the package {missing.name!r}. Install it with: pip install 'cogmap[cli]'")
    cli(prog_name="cogmap")


if __name__ == "__main__":
    main()
