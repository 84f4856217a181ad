"""Runs a Python program under the debugger: python run_debugged.py SESSION PROGRAM ARGUMENT...

SESSION is a JSON file, which is removed once it is read: where debugpy is installed, the port of this machine where
the service waits for the debugger, and the secret by which the service knows it. The program finds everything as if it
had been started by itself, and does not begin before the editor has set its breakpoints.
"""

import json
import os
import sys
import types


def main():
    session_file, program = sys.argv[1:3]
    with open(session_file, encoding="utf-8") as file:
        session = json.load(file)
    os.remove(session_file)
    debugpy = connect(session)
    sys.argv[:] = sys.argv[2:]
    sys.path[0] = os.path.dirname(os.path.abspath(program))
    debugpy.wait_for_client()
    run(program, debugpy)


def connect(session):
    """Connects to the service. The program's own imports find nothing of the debugger's afterwards."""
    sys.path[0] = session["debugpy"]
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
    import debugpy
    import debugpy.server.api
    import pydevd

    del os.environ["PYDEVD_DISABLE_FILE_VALIDATION"]
    pydevd.settrace(
        host="127.0.0.1",
        port=session["port"],
        client_access_token=session["secret"],
        suspend=False,
        patch_multiprocessing=False,
        notify_stdin=False,
        # Whoever looks at the stack sees the frames of the program alone.
        dont_trace_start_patterns=(os.path.dirname(debugpy.__file__), os.path.dirname(os.path.abspath(__file__))),
    )
    return debugpy


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
        error.__traceback__ = error.__traceback__.tb_next
        if error.__traceback__ is not None and hasattr(debugpy, "trigger_exception_handler"):
            debugpy.trigger_exception_handler(error)
        sys.excepthook(type(error), error, error.__traceback__)
        # The exit that follows is no exception of the program.
        sys.modules["pydevd"].get_global_debugger().break_on_uncaught_exceptions.clear()
        sys.exit(1)


if __name__ == "__main__":
    main()
