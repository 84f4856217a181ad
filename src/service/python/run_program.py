"""Runs a Python program and writes down what ended it: python run_program.py CAUSE PROGRAM ARGUMENT...

The program finds everything as if it had been started by itself.
"""

import os
import sys

# With `safe_path`, Python does not search the folder of its script.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from millrace_runner.program import run_program
from millrace_runner.task_values import give_program

if __name__ == "__main__":
    cause_file, program = sys.argv[1:3]
    sys.argv[:] = sys.argv[2:]
    give_program(os.path.dirname(cause_file))
    run_program(program, cause_file)
