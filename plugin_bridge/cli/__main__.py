"""`python -m plugin_bridge.cli`, for where the command is not on the path."""

import sys

from plugin_bridge.cli import main

sys.exit(main())
