"""``python -m latchwork``: the command line where its script is not on the path."""

import sys

from latchwork.cli import main

if __name__ == "__main__":
    sys.exit(main())
