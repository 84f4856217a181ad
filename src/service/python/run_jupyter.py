"""Runs a notebook through nbclient, in a Jupyter kernel of this very Python: python run_jupyter.py RUN_FOLDER."""

import asyncio
import os
import sys

# With `safe_path`, Python does not search the folder of its script.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from millrace_runner.jupyter import main

if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1])))
