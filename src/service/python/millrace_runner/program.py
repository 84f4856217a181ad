"""Runs a program and writes down what ended it, which its output cannot tell: a program may print any traceback."""

import builtins
import io
import os
import sys

from .own_modules import hide

LIMIT = 64 * 1024


def run_program(program, cause_file, halt=lambda error: None):
    """Executes a file as `__main__`, as the interpreter does. The package can no longer be imported.

    What ends it is written to cause_file: "error", the line and the traceback of an exception; "text" and the text of
    a SystemExit; or "exit", for a SystemExit with a number.
    """
    hide()
    if not getattr(sys.flags, "safe_path", False):
        sys.path.insert(0, os.path.dirname(os.path.realpath(program)))
    module = type(sys)("__main__")
    module.__file__ = program
    module.__builtins__ = builtins
    sys.modules["__main__"] = module
    own_process = os.getpid()

    def write(*parts):
        # A child that the program forked has an end of its own.
        if os.getpid() != own_process:
            return
        try:
            with io.open(cause_file, "w", encoding="utf-8", errors="replace", newline="\n") as file:
                file.write("\n".join(parts))
        except OSError:
            pass

    try:
        with io.open(program, "rb") as file:
            code = compile(file.read(), program, "exec", dont_inherit=True)
        exec(code, module.__dict__)
    except SystemExit as end:
        is_code = end.code is None or isinstance(end.code, int)
        write("exit") if is_code else write("text", text_of(end.code)[:LIMIT])
        raise
    except BaseException as error:
        # Nothing of this file is part of what the program's author reads.
        error.__traceback__ = error.__traceback__.tb_next
        halt(error)
        trace = printed(error)
        write("error", last_line(error, trace), trace[-LIMIT:])
        sys.excepthook(type(error), error, error.__traceback__)
        sys.exit(1)


def printed(error):
    """What the interpreter prints of an error. The traceback module is not imported: the program may have its own."""
    kept, sys.stderr = sys.stderr, io.StringIO()
    try:
        sys.__excepthook__(type(error), error, error.__traceback__)
        return sys.stderr.getvalue()
    except BaseException:
        return ""
    finally:
        sys.stderr = kept


def last_line(error, trace):
    """The line of the trace that names the error, with the suggestion that the interpreter may add."""
    kind = type(error)
    is_plain = kind.__module__ in ("builtins", "__main__")
    name = kind.__qualname__ if is_plain else kind.__module__ + "." + kind.__qualname__
    lines = text_of(error.msg if isinstance(error, SyntaxError) and error.msg else error).split("\n")
    # A message may begin with a traceback that it quotes.
    told = [each for each in lines if each.strip() and not each.startswith("Traceback (")]
    if not told:
        return name
    line = name + ": " + next((each for each in told if not each[0].isspace()), told[0]).strip()
    # Only a message of one line is followed by the interpreter's suggestion; other lines that look alike are quoted.
    if len(lines) > 1 or getattr(error, "__notes__", None):
        return line[:2000]
    return next((each for each in reversed(trace.split("\n")) if each.startswith(line)), line)[:2000]


def text_of(value):
    try:
        return str(value)
    except Exception:
        return "<exception str() failed>"
