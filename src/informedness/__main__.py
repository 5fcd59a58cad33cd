"""Run the command line as `python -m informedness`."""

import sys

from .cli import main

sys.exit(main())
