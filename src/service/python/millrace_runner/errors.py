"""The errors that are the runner's own, and what a reader of the notebook sees of any error."""

import os
import traceback

FOLDER = os.path.dirname(os.path.abspath(__file__))


class NotebookExit(BaseException):
    """Raised by dbutils.notebook.exit. Not an Exception, so that a notebook's own handlers let it pass."""

    __module__ = "builtins"


class NotebookError(Exception):
    """A notebook cannot be read, or holds something that is not carried out here."""

    # The module is ours, and its name would differ between the engines.
    __module__ = "builtins"


def cell_name(number):
    """Of a notebook's own cell, as tracebacks name it."""
    return "<cell %d>" % number


def user_traceback(kind, error, trace):
    """The traceback from the first frame of the notebook on."""
    step = trace
    while step is not None and not step.tb_frame.f_code.co_filename.startswith("<cell"):
        step = step.tb_next
    # SyntaxError of the cell itself has no frame of the notebook.
    shown = traceback.TracebackException(kind, error, step)
    each = shown
    while each is not None:
        # What happened inside of this program says nothing to the reader.
        each.stack[:] = [frame for frame in each.stack if os.path.dirname(frame.filename) != FOLDER]
        each = each.__cause__ or each.__context__
    return "".join(shown.format()).rstrip("\n").split("\n")


def safe_text(error):
    try:
        return str(error)
    except Exception:
        return "<unprintable %s>" % type(error).__name__
