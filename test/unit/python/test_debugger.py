"""The connection to the debugger, with stand-ins for its modules."""

import json
import os
import sys
import tempfile
import unittest

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
