"""Runs a Python program under the debugger: python run_debugged.py SESSION PROGRAM ARGUMENT...

SESSION is the file that millrace_runner.debugger reads. The program finds everything as if it had been started by
itself, and does not begin before the editor has set its breakpoints.
"""

import os
import sys
import types

# Put there by itself, since a Python that is told to be safe does not look beside its script.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from millrace_runner.debugger import connect
from millrace_runner.own_modules import hide


def main():
    session_file, program = sys.argv[1:3]
    debugpy = connect(session_file)
    hide()
    sys.argv[:] = sys.argv[2:]
    sys.path.insert(0, os.path.dirname(os.path.abspath(program)))
    debugpy.wait_for_client()
    run(program, debugpy)


def run(program, debugpy):
    """Executes the program as `__main__`."""
    module = types.ModuleType("__main__")
    module.__file__ = program
    module.__builtins__ = __builtins__
    sys.modules["__main__"] = module
    try:
        with open(program, "rb") as file:
            code = compile(file.read(), program, "exec", dont_inherit=True)
        exec(code, module.__dict__)
    except SystemExit:
        raise
    except BaseException as error:
        # Nothing of this file is part of what the program's author reads.
        error.__traceback__ = without_last(error.__traceback__.tb_next)
        if error.__traceback__ is not None and hasattr(debugpy, "trigger_exception_handler"):
            debugpy.trigger_exception_handler(error)
        sys.excepthook(type(error), error, error.__traceback__)
        # The exit that follows is no exception of the program.
        sys.modules["pydevd"].get_global_debugger().break_on_uncaught_exceptions.clear()
        sys.exit(1)


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
