"""Gives a Jupyter kernel what the built-in runner gives a notebook."""

import os
import sys
import warnings

from .debugger import NotebookDebugger
from .errors import NotebookExit, cell_name, user_traceback
from .files import read_notebook
from .machine import Machine
from .output import Events
from .own_modules import hide
from .run_folder import enter_folder, load


def enter_kernel(folder, positions):
    """Gives a kernel what the built-in runner gives: names, plain representations, the same tracebacks."""
    from IPython import get_ipython
    from IPython.display import publish_display_data

    request = load(folder)
    debugger = NotebookDebugger(request.get("debugSession"))
    # At once: the editor's breakpoints are on their way.
    debugger.know(request["path"], read_notebook(request["path"]), cell_name)
    hide()
    shell = get_ipython()
    machine = Machine(folder, request, Events(os.path.join(folder, "events.jsonl")), debugger)
    enter_folder(request)
    machine.fill(shell.user_ns)
    machine.publish = lambda data, is_result: publish_display_data(data)
    shell.display_formatter.formatters["text/plain"].pprint = False
    # A hint for people at a prompt.
    warnings.filterwarnings("ignore", message="To exit: use")

    def name_of(_raw, _transformed, number):
        return cell_name(positions[number - 1] if 0 < number <= len(positions) else number)

    shell.compile.get_code_name = name_of

    def show_traceback(exc_tuple=None, *_args, **_options):
        kind, error, trace = exc_tuple or sys.exc_info()
        if kind is NotebookExit:
            machine.write_exit(str(error))
        else:
            debugger.halt(error)
        shell._showtraceback(kind, error, user_traceback(kind, error, trace))

    shell.showtraceback = show_traceback
    shell.showsyntaxerror = lambda *_args, **_options: show_traceback()
    shell.showindentationerror = lambda *_args, **_options: show_traceback()
    debugger.wait()
