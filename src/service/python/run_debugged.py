"""Runs a Python program under the debugger: python run_debugged.py SESSION CAUSE PROGRAM ARGUMENT...

SESSION is the file that millrace_runner.debugger reads, CAUSE the one that millrace_runner.program writes. The program
finds everything as if it had been started by itself, and does not begin before the editor has set its breakpoints.
"""

import os
import sys

# With `safe_path`, Python does not search the folder of its script.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from millrace_runner.debugger import connect
from millrace_runner.program import run_program
from millrace_runner.task_values import give_program


def main():
    session_file, cause_file, program = sys.argv[1:4]
    debugpy = connect(session_file)
    sys.argv[:] = sys.argv[3:]
    give_program(os.path.dirname(cause_file))
    debugpy.wait_for_client()

    def halt(error):
        error.__traceback__ = without_last(error.__traceback__)
        if error.__traceback__ is not None and hasattr(debugpy, "trigger_exception_handler"):
            debugpy.trigger_exception_handler(error)
        # The exit that follows is no exception of the program.
        sys.modules["pydevd"].get_global_debugger().break_on_uncaught_exceptions.clear()

    run_program(program, cause_file, halt)


def without_last(trace):
    """A recursion may come to its end inside of the debugger, which is none of the program's frames."""
    last = step = trace
    while step is not None:
        if not step.tb_frame.f_globals.get("__name__", "").startswith(("_pydevd", "pydevd", "debugpy")):
            last = step
        step = step.tb_next
    if last is not None:
        last.tb_next = None
    return trace


if __name__ == "__main__":
    main()
