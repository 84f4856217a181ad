"""Runs a notebook with the built-in runner: python run_notebook.py RUN_FOLDER."""

import os
import sys

# With `safe_path`, Python does not search the folder of its script.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from millrace_runner.notebook import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
