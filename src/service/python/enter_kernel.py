"""Run inside a Jupyter kernel, by its path, before the first cell. RUN_FOLDER and POSITIONS are handed in.

The kernel's own names are left alone: what is imported here is not a name of the notebook.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from millrace_runner.kernel import enter_kernel

enter_kernel(RUN_FOLDER, POSITIONS)  # noqa: F821
