"""The connection to the debugger, with stand-ins for its modules."""

import gc
import json
import os
import socket
import sys
import tempfile
import types
import unittest
from unittest import mock

from millrace_runner import debugger
from support import keep_modules

PYDEVD = """
import gc

traced, started = [], []
collected = gc.isenabled()


def settrace(**options):
    traced.append(options)


class Client:
    def setsockopt(self, *option):
        self.option = option


def start_client(host, port):
    started.append((host, port))
    return Client()
"""


class Connection(unittest.TestCase):
    def connect(self, pydevd):
        """Connects with this pydevd; the folder in which it is."""
        keep_modules(self)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.makedirs(os.path.join(folder.name, "debugpy", "server"))
        for path, text in (("debugpy/__init__.py", ""), ("debugpy/server/api.py", ""), ("pydevd.py", pydevd)):
            with open(os.path.join(folder.name, *path.split("/")), "w", encoding="utf-8") as file:
                file.write(text)
        session = os.path.join(folder.name, "session.json")
        with open(session, "w", encoding="utf-8") as file:
            json.dump({"debugpy": folder.name, "port": 5, "secret": "canary"}, file)
        debugger.connect(session)
        return folder.name

    def test_does_not_collect_garbage_while_it_loads_and_afterwards_as_before(self):
        self.addCleanup(gc.enable)
        for before in (True, False):
            (gc.enable if before else gc.disable)()
            self.connect(PYDEVD)
            self.assertEqual((gc.isenabled(), sys.modules["pydevd"].collected), (before, False))
            for name in ("debugpy", "debugpy.server", "debugpy.server.api", "pydevd"):
                del sys.modules[name]

    def test_sends_each_message_at_once(self):
        self.connect(PYDEVD)
        pydevd = sys.modules["pydevd"]
        client = pydevd.start_client("127.0.0.1", 5)
        self.assertEqual(pydevd.started, [("127.0.0.1", 5)])
        self.assertEqual(client.option, (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1))

    def test_shows_the_frames_of_the_program_alone_and_leaves_processes_and_input(self):
        folder = self.connect(PYDEVD)
        self.assertEqual(
            sys.modules["pydevd"].traced,
            [
                {
                    "host": "127.0.0.1",
                    "port": 5,
                    "client_access_token": "canary",
                    "suspend": False,
                    "patch_multiprocessing": False,
                    "notify_stdin": False,
                    "dont_trace_start_patterns": (os.path.join(folder, "debugpy"), debugger.PROGRAMS),
                }
            ],
        )

    def test_leaves_neither_its_secret_nor_its_modules_nor_its_variable(self):
        keep_modules(self)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        package = os.path.join(folder.name, "debugpy", "server")
        os.makedirs(package)
        for path, text in (
            ("debugpy/__init__.py", ""),
            ("debugpy/server/__init__.py", ""),
            ("debugpy/server/api.py", "def ensure_logging():\n    pass\n"),
            ("pydevd.py", "traced = []\ndef settrace(**options):\n    traced.append(options)\n"),
        ):
            with open(os.path.join(folder.name, *path.split("/")), "w", encoding="utf-8") as file:
                file.write(text)
        session = os.path.join(folder.name, "session.json")
        for before in (None, "0"):
            with open(session, "w", encoding="utf-8") as file:
                json.dump({"debugpy": folder.name, "port": 5, "secret": "canary"}, file)
            if before is not None:
                os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = before
            self.assertEqual(debugger.connect(session).__name__, "debugpy")
            self.assertEqual(os.environ.pop("PYDEVD_DISABLE_FILE_VALIDATION", None), before)
            self.assertFalse(os.path.exists(session))
            self.assertNotIn(folder.name, sys.path)
        options = sys.modules["pydevd"].traced[-1]
        self.assertEqual(
            [options[name] for name in ("host", "port", "client_access_token", "suspend")],
            ["127.0.0.1", 5, "canary", False],
        )
        self.assertTrue(sys.modules["debugpy.server.api"].ensure_logging.ensured)


class Notebooks(unittest.TestCase):
    """What the debugger is told of a notebook, with a stand-in for it."""

    def setUp(self):
        keep_modules(self)
        self.told = []
        api = mock.Mock()
        api.PyDevdAPI.return_value = mock.Mock(
            SourceMappingEntry=lambda first, last, runtime, name: (first, last, runtime, name),
            set_source_mapping=lambda _debugger, place, entries: self.told.append((place, entries)),
        )
        sys.modules["_pydevd_bundle.pydevd_api"] = api
        self.notebook = debugger.NotebookDebugger()
        self.notebook.debugpy, self.notebook.pydevd = mock.Mock(), mock.Mock()

    def know(self, path, *cells):
        self.notebook.know(path, cells, "<cell %d>".__mod__)

    def test_know_the_lines_of_their_cells(self):
        self.know(
            "/a.py",
            {"kind": "code", "source": "a\nb\nc", "line": 2},
            {"kind": "markdown", "source": "text"},
            {"kind": "code", "source": "d", "line": 9},
        )
        self.assertEqual(self.told, [("/a.py", [(2, 4, 1, "<cell 1>"), (9, 9, 1, "<cell 3>")])])

    def test_without_lines_have_a_place_for_each_cell(self):
        self.know("/a.ipynb", {"kind": "code", "source": "a\nb"}, {"kind": "sql", "source": "SELECT 1"})
        self.assertEqual(
            self.told,
            [("/a.ipynb#cell 1", [(1, 2, 1, "<cell 1>")]), ("/a.ipynb#cell 2", [(1, 1, 1, "<cell 2>")])],
        )

    def test_say_what_they_print_on_the_side_that_it_is_of(self):
        writer = self.notebook.pydevd.get_global_debugger.return_value
        writer.cmd_factory.make_io_message = lambda text, side: (text, side)
        self.notebook.say("stdout", "a")
        self.notebook.say("stderr", "b")
        self.assertEqual([each[0][0] for each in writer.writer.add_command.call_args_list], [("a", 1), ("b", 2)])
        writer.writer = None
        self.notebook.say("stdout", "nobody is there")

    def test_halt_and_wait_and_leave_threads_alone(self):
        error, thread = ValueError(), types.SimpleNamespace()
        self.notebook.halt(error)
        self.notebook.wait()
        self.notebook.leave_alone(thread)
        self.notebook.debugpy.trigger_exception_handler.assert_called_once_with(error)
        self.notebook.debugpy.wait_for_client.assert_called_once_with()
        self.assertEqual(vars(thread), {"is_pydev_daemon_thread": True, "pydev_do_not_trace": True})

    def test_go_on_where_the_debugger_has_no_way_to_halt(self):
        self.notebook.debugpy = types.SimpleNamespace()
        self.notebook.halt(ValueError())

    def test_are_told_nothing_without_a_session(self):
        none, thread = debugger.NotebookDebugger(), types.SimpleNamespace()
        none.know("/a.py", [{"kind": "code", "source": "a", "line": 1}], str)
        none.say("stdout", "a")
        none.halt(ValueError())
        none.wait()
        none.leave_alone(thread)
        self.assertEqual((self.told, vars(thread)), ([], {}))
