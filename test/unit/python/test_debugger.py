"""The connection to the debugger, with stand-ins for its modules."""

import json
import os
import sys
import tempfile
import types
import unittest
from unittest import mock

from millrace_runner import debugger
from support import keep_modules


class Connection(unittest.TestCase):
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

    def test_are_told_nothing_without_a_session(self):
        none, thread = debugger.NotebookDebugger(), types.SimpleNamespace()
        none.know("/a.py", [{"kind": "code", "source": "a", "line": 1}], str)
        none.say("stdout", "a")
        none.halt(ValueError())
        none.wait()
        none.leave_alone(thread)
        self.assertEqual((self.told, vars(thread)), ([], {}))
