"""The folder of a run, and the modules that a notebook finds."""

import os
import sys
import unittest
from unittest import mock

from millrace_runner import own_modules, run_folder
from support import Events, FolderTest, keep_modules


class RunFolder(FolderTest):
    def test_says_what_to_run(self):
        self.write("request.json", '{"path": "/n", "name": "\u00fc"}')
        self.assertEqual(run_folder.load(self.root), {"path": "/n", "name": "\u00fc"})

    def test_is_told_of_the_cells_before_they_run(self):
        events = Events()
        path = self.write("a.py", "# %% Title\na = 1\n# %% [markdown]\n# text\n")
        cells = run_folder.open_notebook({"path": path}, events, "jupyter")
        self.assertEqual([cell["kind"] for cell in cells], ["code", "markdown"])
        (told,) = events.all
        self.assertGreater(told.pop("at"), 1.6e12)
        self.assertEqual(
            told,
            {
                "event": "notebook",
                "engine": "jupyter",
                "cells": [
                    {"kind": "code", "source": "a = 1", "title": "Title", "language": "python"},
                    {"kind": "markdown", "source": "text", "title": "", "language": ""},
                ],
            },
        )

    def test_is_told_why_there_are_none(self):
        bad = os.path.join(self.root, "bad.py")
        with open(bad, "wb") as file:
            file.write(b"\xff\xfe\xff")
        for path, words in (
            (os.path.join(self.root, "none.py"), "No such file"),
            (self.write("a.ipynb", "{"), "is not a Jupyter notebook"),
            (bad, "codec can't decode"),
        ):
            with self.subTest(path):
                events = Events()
                self.assertIsNone(run_folder.open_notebook({"path": path}, events, "builtin"))
                self.assertEqual(
                    [(each["event"], each.get("cells")) for each in events.all], [("notebook", []), ("broken", None)]
                )
                self.assertIn(words, events.all[1]["message"])

    def test_is_left_for_that_of_the_notebook_whose_modules_come_first(self):
        self.addCleanup(os.chdir, os.getcwd())
        folder = os.path.join(self.root, "dir")
        os.mkdir(folder)
        request = {"path": os.path.join(folder, "book.py"), "root": self.root}
        with mock.patch.object(sys, "path", ["/first"]):
            run_folder.enter_folder(request)
            self.assertEqual((os.path.realpath(os.getcwd()), sys.path), (folder, [folder, self.root, "/first"]))
            run_folder.enter_folder(request)
            self.assertEqual(sys.path, [folder, self.root, "/first"])
        with mock.patch.object(sys, "path", []):
            run_folder.enter_folder({"path": os.path.join(self.root, "book.py"), "root": self.root})
            self.assertEqual(sys.path, [self.root])


class OwnModules(unittest.TestCase):
    def test_are_no_longer_found_once_they_are_hidden_and_all_others_are(self):
        keep_modules(self)
        import millrace_runner.cells

        self.assertIsNotNone(millrace_runner.cells)
        sys.modules["millrace_runner_of_mine"] = own_modules
        with mock.patch.object(sys, "path", ["/a", own_modules.PROGRAMS, "", os.path.join(own_modules.PROGRAMS, ".")]):
            own_modules.hide()
            self.assertEqual(sys.path, ["/a", ""])
        self.assertEqual(
            [name for name in sys.modules if name.startswith("millrace_runner")], ["millrace_runner_of_mine"]
        )
        self.assertTrue(os.path.isfile(os.path.join(own_modules.PROGRAMS, "run_notebook.py")))


if __name__ == "__main__":
    unittest.main()
