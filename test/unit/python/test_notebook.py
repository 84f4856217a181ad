"""The built-in runner as a program: what it leaves of a notebook in the run's folder."""

import json
import os
import subprocess
import sys
import unittest
from unittest import mock

from millrace_runner.own_modules import PROGRAMS
from support import FolderTest


class Notebook(FolderTest):
    def run_notebook(self, text, name="book.py", **request):
        """The code it ends with, what it prints itself, and its events without their times."""
        path = self.write(name, text) if text is not None else os.path.join(self.root, name)
        folder = os.path.join(self.folder, "run")
        os.makedirs(folder, exist_ok=True)
        whole = dict({"path": path, "root": self.root, "dataFolder": self.folder, "cellLimitBytes": 10000}, **request)
        with open(os.path.join(folder, "request.json"), "w", encoding="utf-8") as file:
            json.dump(whole, file)
        command = [sys.executable, os.path.join(PROGRAMS, "run_notebook.py"), folder]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        with open(os.path.join(folder, "events.jsonl"), encoding="utf-8") as file:
            events = [json.loads(line) for line in file]
        for event in events:
            self.assertEqual("at" in event, event["event"] in ("notebook", "start", "end", "done", "limit"))
            event.pop("at", None)
        return done.returncode, (done.stdout.decode("utf-8"), done.stderr.decode("utf-8")), events

    def stream(self, cell, text, name="stdout"):
        return {"event": "output", "cell": cell, "output": {"type": "stream", "name": name, "text": text}}

    def data(self, cell, text, is_result):
        output = {"type": "data", "data": {"text/plain": text}, "isResult": is_result}
        return {"event": "output", "cell": cell, "output": output}

    def test_tells_each_cell_with_what_it_printed_and_gave_and_prints_it_too(self):
        code, printed, events = self.run_notebook(
            """
            # Databricks notebook source
            # MAGIC %md Title
            # COMMAND ----------
            # DBTITLE 1,First
            import sys
            print("out")
            print("error", file=sys.stderr)
            display(1)
            2
            # COMMAND ----------
            # MAGIC %sh echo child
            """
        )
        self.assertEqual((code, printed), (0, ("out\nchild\n", "error\n")))
        first = 'import sys\nprint("out")\nprint("error", file=sys.stderr)\ndisplay(1)\n2'
        self.assertEqual(
            events,
            [
                {
                    "event": "notebook",
                    "engine": "builtin",
                    "cells": [
                        {"kind": "markdown", "source": "Title", "title": "", "language": ""},
                        {"kind": "code", "source": first, "title": "First", "language": "python"},
                        {"kind": "shell", "source": "%sh echo child", "title": "", "language": "sh"},
                    ],
                },
                {"event": "start", "cell": 1},
                self.stream(1, "out\n"),
                self.stream(1, "error\n", "stderr"),
                self.data(1, "1", False),
                self.data(1, "2", True),
                {"event": "end", "cell": 1, "status": "ok"},
                {"event": "start", "cell": 2},
                self.stream(2, "child\n"),
                {"event": "end", "cell": 2, "status": "ok"},
                {"event": "done"},
            ],
        )

    def test_is_what_programs_find_themselves_in(self):
        source = """
            import os, sys, threading, __main__, helper
            a = 1
            print(__name__, __main__.a if hasattr(__main__, "a") else "none", sys.argv, os.getcwd())
            print(sys.path[:2], helper.found, os.environ["MPLBACKEND"], sys.stdout.isatty(), sys.stdout.fileno())
            print([name for name in sys.modules if name.startswith("millrace_runner")])
            """
        self.write("dir/helper.py", "found = 'beside'\n")
        code, (printed, _), _ = self.run_notebook(source, "dir/book.py")
        folder = os.path.join(self.root, "dir")
        self.assertEqual(
            (code, printed.splitlines()),
            (
                0,
                [
                    "__main__ 1 %r %s" % ([os.path.join(folder, "book.py")], folder),
                    "%r beside Agg False 1" % [folder, self.root],
                    "[]",
                ],
            ),
        )

    def test_leaves_the_way_of_plotting_that_was_chosen(self):
        with mock.patch.dict(os.environ, {"MPLBACKEND": "svg"}):
            code, (printed, _), _ = self.run_notebook("import os\nprint(os.environ['MPLBACKEND'])\n")
        self.assertEqual((code, printed), (0, "svg\n"))

    def test_ends_with_the_cell_that_fails_in_words_of_the_notebook_alone(self):
        code, _, events = self.run_notebook(
            "# %%\ndef f():\n    1 / 0\n# %%\nprint('before')\nf()\n# %%\nprint('never')\n"
        )
        self.assertEqual(code, 1)
        self.assertEqual(
            events[3:],
            [
                {"event": "start", "cell": 1},
                self.stream(1, "before\n"),
                {
                    "event": "output",
                    "cell": 1,
                    "output": {
                        "type": "error",
                        "name": "ZeroDivisionError",
                        "message": "division by zero",
                        "traceback": events[5]["output"]["traceback"],
                    },
                },
                {"event": "end", "cell": 1, "status": "error"},
                {"event": "done"},
            ],
        )
        trace = "\n".join(events[5]["output"]["traceback"])
        self.assertIn('File "<cell 2>", line 2, in <module>', trace)
        self.assertIn('File "<cell 1>", line 2, in f\n    1 / 0', trace)
        self.assertNotIn("millrace_runner", trace)

    def test_ends_well_where_it_exits_and_where_a_program_does(self):
        code, _, events = self.run_notebook(
            "# %%\ntry:\n    dbutils.notebook.exit(5)\nexcept Exception:\n    pass\n# %%\nprint('never')\n"
        )
        self.assertEqual(code, 0)
        self.assertEqual(
            events[1:],
            [
                {"event": "start", "cell": 0},
                {"event": "end", "cell": 0, "status": "exit"},
                {"event": "exit", "value": "5", "truncated": False},
                {"event": "done"},
            ],
        )
        code, _, events = self.run_notebook("import sys\nsys.exit(3)\n")
        self.assertEqual((code, events[-2]), (1, {"event": "end", "cell": 0, "status": "error"}))

    def test_ends_at_once_where_a_cell_gives_more_than_it_may(self):
        code, (printed, _), events = self.run_notebook(
            "try:\n    print('x' * 20)\nfinally:\n    print('y')\n", cellLimitBytes=10
        )
        self.assertEqual((code, events[2:]), (86, [self.stream(0, "x" * 10), {"event": "limit", "cell": 0}]))
        self.assertTrue(printed.startswith("x" * 20))

    def test_closes_files_and_runs_what_is_to_be_run_at_the_end_and_waits_for_no_thread(self):
        path = os.path.join(self.root, "left.txt")
        code, _, events = self.run_notebook(
            """
            import atexit, threading, time
            file = open(%r, "w")
            file.write("written")
            atexit.register(lambda: open(%r, "w").close())
            threading.Thread(target=time.sleep, args=(600,)).start()
            """
            % (path, path + ".end")
        )
        self.assertEqual((code, events[-1]), (0, {"event": "done"}))
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), "written")
        self.assertTrue(os.path.exists(path + ".end"))

    def test_says_why_it_cannot_be_read(self):
        code, _, events = self.run_notebook("{", "book.ipynb")
        self.assertEqual((code, events[0]), (1, {"event": "notebook", "engine": "builtin", "cells": []}))
        self.assertEqual([event["event"] for event in events], ["notebook", "broken"])
        self.assertIn("book.ipynb is not a Jupyter notebook", events[1]["message"])


if __name__ == "__main__":
    unittest.main()
