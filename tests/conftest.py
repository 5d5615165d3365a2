"""pytest puts this folder on the path, for tests/draw.py. What tests draw comes from $SEED."""

import os
import random

random.seed(int(os.environ.get("SEED") or 1))
