"""The debugger of a run, if one is wanted: its connection, and what it knows of the cells of notebooks.

Cells are executed under names such as <cell 3>, which is what tracebacks show. The debugger is told which lines of which
file they are: of a source notebook, its own lines; of an .ipynb, the lines of BOOK.ipynb#cell 3.
"""

import gc
import json
import os
import sys

from .own_modules import PROGRAMS


def connect(session_file):
    """Connects to the service; SESSION is a JSON file, which is removed once it is read.

    It says where debugpy is installed, the port of this machine where the service waits for the debugger, and the
    secret by which the service knows it. The program's own imports find nothing of the debugger's afterwards.
    """
    with open(session_file, encoding="utf-8") as file:
        session = json.load(file)
    os.remove(session_file)
    before = os.environ.get("PYDEVD_DISABLE_FILE_VALIDATION")
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
    sys.path.insert(0, session["debugpy"])
    # Thousands of objects that all stay are not worth to be looked through again and again.
    collects = gc.isenabled()
    gc.disable()
    try:
        import debugpy
        import debugpy.server.api
        import pydevd
    finally:
        if collects:
            gc.enable()
        sys.path.remove(session["debugpy"])
        if before is None:
            del os.environ["PYDEVD_DISABLE_FILE_VALIDATION"]
        else:
            os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = before
    # It would read what every installed package says of itself, for a log that nobody keeps.
    ensure_logging = getattr(debugpy.server.api, "ensure_logging", None)
    if ensure_logging is not None:
        ensure_logging.ensured = True
    if hasattr(pydevd, "start_client"):
        pydevd.start_client = without_delay(pydevd.start_client)
    pydevd.settrace(
        host="127.0.0.1",
        port=session["port"],
        client_access_token=session["secret"],
        suspend=False,
        patch_multiprocessing=False,
        notify_stdin=False,
        # Whoever looks at the stack sees the frames of the program alone.
        dont_trace_start_patterns=(os.path.dirname(debugpy.__file__), PROGRAMS),
    )
    return debugpy


def without_delay(start_client):
    """Each message is two pieces: the second one would wait for the first to be acknowledged, which takes 40 ms."""
    import socket

    def start(host, port):
        client = start_client(host, port)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return client

    return start


class NotebookDebugger:
    """What the debugger of a notebook's run is told. Without a session, all of it does nothing."""

    def __init__(self, session_file=None):
        self.debugpy = connect(session_file) if session_file else None
        self.pydevd = sys.modules["pydevd"] if self.debugpy else None

    def wait(self):
        """Until the editor has set its breakpoints."""
        if self.debugpy:
            self.debugpy.wait_for_client()

    def know(self, path, cells, name_of):
        """Where the cells of a notebook are; name_of gives the name under which the cell of a number is executed."""
        if not self.debugpy:
            return
        api = sys.modules["_pydevd_bundle.pydevd_api"].PyDevdAPI()
        places = {}
        for number, cell in enumerate(cells, 1):
            if cell["kind"] == "markdown":
                continue
            # Those of an .ipynb have no lines of the file.
            line = cell.get("line")
            count = cell["source"].count("\n") + 1
            place = "%s#cell %d" % (path, number) if line is None else path
            entry = api.SourceMappingEntry(line or 1, (line or 1) + count - 1, 1, name_of(number))
            places.setdefault(place, []).append(entry)
        for place, entries in places.items():
            api.set_source_mapping(self.pydevd.get_global_debugger(), place, entries)

    def halt(self, error):
        """Halts at the error that ends the notebook, where it was raised, if the editor wants that."""
        if self.debugpy and hasattr(self.debugpy, "trigger_exception_handler"):
            self.debugpy.trigger_exception_handler(error)

    def say(self, name, text):
        """What a cell prints, for the editor's console."""
        debugger = self.pydevd.get_global_debugger() if self.debugpy else None
        if debugger is not None and debugger.writer is not None:
            debugger.writer.add_command(debugger.cmd_factory.make_io_message(text, 1 if name == "stdout" else 2))

    def leave_alone(self, thread):
        """A thread of the runner's own: it is neither stopped nor shown."""
        if self.debugpy:
            thread.is_pydev_daemon_thread = True
            thread.pydev_do_not_trace = True
