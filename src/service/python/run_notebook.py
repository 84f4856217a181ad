"""Runs a notebook with the built-in runner: python run_notebook.py RUN_FOLDER."""

import os
import sys

# Put there by itself, since a Python that is told to be safe does not look beside its script.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from millrace_runner.notebook import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
