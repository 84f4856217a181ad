"""The runner that uses Jupyter, with a stand-in for nbclient and its kernel."""

import asyncio
import json
import os
import signal
import sys
import types
import unittest
from unittest import mock

from millrace_runner import jupyter
from millrace_runner.own_modules import PROGRAMS
from support import FolderTest, keep_modules

BOOK = """
    # %%
    a = 1
    # %% [markdown]
    # text
    # %%
    %sh echo child
"""


class CellExecutionError(Exception):
    def __init__(self, ename):
        super().__init__(ename)
        self.ename = ename


class DeadKernelError(Exception):
    pass


class Jupyter(FolderTest):
    def setUp(self):
        super().setUp()
        keep_modules(self)
        test = self
        self.client = None
        self.kernel = {}
        self.setups, self.executed, self.passed_on = [], [], []
        self.reply = {"status": "ok"}
        # What each cell does, by its place: it may say something and raise.
        self.cells = {}

        class Client:
            def __init__(self, book, km, **options):
                self.book, self.km, self.options = book, km, options
                self.kc = types.SimpleNamespace(execute=self.execute)
                test.client = self

            def async_setup_kernel(self, **options):
                test.streams = options
                return self

            async def __aenter__(self):
                if os.name != "nt":
                    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, lambda: None)
                return self

            async def __aexit__(self, *_error):
                test.executed.append("left")

            async def execute(self, code, **options):
                test.setups.append((code, options))
                return {"content": test.reply}

            async def async_execute_cell(self, cell, index):
                if os.name != "nt":
                    test.assertFalse(asyncio.get_running_loop().remove_signal_handler(signal.SIGTERM))
                test.executed.append((cell, index))
                for step in test.cells.get(index, ()):
                    if isinstance(step, Exception):
                        raise step
                    test.assertEqual(self.process_message(step, cell, index), "passed on")

            def process_message(self, msg, cell, cell_index):
                test.passed_on.append((msg["msg_type"], cell_index))
                return "passed on"

        def module(name, **names):
            made = types.ModuleType(name)
            made.__dict__.update(names)
            sys.modules[name] = made
            return made

        v4 = types.SimpleNamespace(
            new_notebook=lambda cells: types.SimpleNamespace(cells=cells),
            new_markdown_cell=lambda source: ("markdown", source),
            new_code_cell=lambda source: ("code", source),
        )
        module("nbformat", v4=v4)
        module("jupyter_client")
        module("jupyter_client.kernelspec", KernelSpec=lambda **options: dict(options, spec=True))
        module("jupyter_client.manager", AsyncKernelManager=lambda **options: types.SimpleNamespace(options=options))
        module("nbclient", NotebookClient=Client)
        module("nbclient.exceptions", CellExecutionError=CellExecutionError, DeadKernelError=DeadKernelError)

    def run_book(self, text=BOOK, **more):
        """The code it ends with, and its events without their times."""
        self.path = self.write("dir/book.py", text)
        request = {"path": self.path, "root": self.root, "cellLimitBytes": 1000, "kernelFolder": "/kernels"}
        request.update(more)
        with open(os.path.join(self.folder, "request.json"), "w", encoding="utf-8") as file:
            json.dump(request, file)
        with mock.patch("millrace_runner.output.write_all") as self.mirrored:
            code = asyncio.run(jupyter.main(self.folder))
        with open(os.path.join(self.folder, "events.jsonl"), encoding="utf-8") as file:
            events = [json.loads(line) for line in file]
        for event in events:
            event.pop("at", None)
        return code, events

    def course(self, events):
        """What became of the cells."""
        return [
            (each["event"], each.get("cell"), each.get("status"))
            for each in events
            if each["event"] in ("start", "end", "done")
        ]

    def test_runs_each_cell_but_those_of_text_in_a_kernel_of_this_python(self):
        code, events = self.run_book(pythonOptions=["-X", "dev"])
        self.assertEqual(code, 0)
        self.assertEqual((events[0]["event"], events[0]["engine"], len(events[0]["cells"])), ("notebook", "jupyter", 3))
        self.assertEqual(
            self.course(events),
            [("start", 0, None), ("end", 0, "ok"), ("start", 2, None), ("end", 2, "ok"), ("done", None, None)],
        )
        first, text, last = self.client.book.cells
        self.assertEqual((first, text), (("code", "a = 1"), ("markdown", "text")))
        self.assertIn("echo child", last[1])
        self.assertEqual(self.executed, [(first, 0), (last, 2), "left"])
        self.assertEqual(
            self.client.km._kernel_spec["argv"],
            [sys.executable, "-X", "dev", "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        )
        self.assertEqual(
            self.client.km.options,
            {
                "kernel_name": "python3",
                "connection_file": os.path.join("/kernels", "kernel.json"),
                "transport": "tcp" if os.name == "nt" else "ipc",
            },
        )
        self.assertEqual(
            self.client.options,
            {
                "timeout": None,
                "startup_timeout": 120,
                "resources": {"metadata": {"path": os.path.join(self.root, "dir")}},
            },
        )
        self.assertEqual(
            {name: stream.name for name, stream in self.streams.items()},
            dict.fromkeys(("stdout", "stderr"), os.path.join(self.folder, "kernel.log")),
        )

    def test_leaves_a_magic_that_it_does_not_know_to_the_kernel(self):
        self.run_book("# %%\n%timeit 1\n")
        self.assertEqual(self.client.book.cells, [("code", "%timeit 1")])

    def test_prepares_the_kernel_without_a_trace_and_waits_for_an_editor_as_long_as_it_takes(self):
        self.run_book()
        self.run_book(debugSession="session")
        (code, options), (_, debugged) = self.setups
        with mock.patch("runpy.run_path") as run_path:
            exec(code, {})
        run_path.assert_called_once_with(
            os.path.join(PROGRAMS, "enter_kernel.py"), {"RUN_FOLDER": self.folder, "POSITIONS": [1, 3]}
        )
        self.assertEqual(options, {"silent": True, "store_history": False, "reply": True, "timeout": 120})
        self.assertEqual(debugged, dict(options, timeout=None))

    def test_runs_nothing_in_a_kernel_that_could_not_be_prepared(self):
        self.reply = {"status": "error", "evalue": "no disk"}
        code, events = self.run_book()
        self.assertEqual((code, self.executed, self.course(events)), (1, ["left"], []))
        self.assertEqual(
            events[-1], {"event": "broken", "message": "The Jupyter kernel could not be prepared: no disk"}
        )

    def test_ends_with_the_first_cell_that_fails_or_exits(self):
        for name, status, expected in (("ValueError", "error", 1), ("NotebookExit", "exit", 0)):
            with self.subTest(name):
                self.cells = {0: [CellExecutionError(name)]}
                os.path.exists(os.path.join(self.folder, "events.jsonl")) and os.remove(
                    os.path.join(self.folder, "events.jsonl")
                )
                code, events = self.run_book()
                self.assertEqual(code, expected)
                self.assertEqual(self.course(events), [("start", 0, None), ("end", 0, status), ("done", None, None)])

    def test_keeps_what_a_cell_says_and_shows_in_its_order(self):
        error = {"ename": "E", "evalue": "no", "traceback": ["t"]}
        self.cells = {
            0: [
                {"msg_type": "status", "content": {}},
                {"msg_type": "stream", "content": {"name": "stdout", "text": "out"}},
                {"msg_type": "display_data", "content": {"data": {"text/plain": "shown"}}},
                {"msg_type": "stream", "content": {"name": "stderr", "text": "wrong"}},
                {"msg_type": "execute_result", "content": {"data": {"text/plain": "given"}}},
                {"msg_type": "error", "content": dict(error, ename="NotebookExit")},
                {"msg_type": "error", "content": error},
            ]
        }
        _, events = self.run_book()
        self.assertEqual(
            [each["output"] for each in events if each["event"] == "output"],
            [
                {"type": "stream", "name": "stdout", "text": "out"},
                {"type": "data", "data": {"text/plain": "shown"}, "isResult": False},
                {"type": "stream", "name": "stderr", "text": "wrong"},
                {"type": "data", "data": {"text/plain": "given"}, "isResult": True},
                {"type": "error", "name": "E", "message": "no", "traceback": ["t"]},
            ],
        )
        self.assertEqual([call[0] for call in self.mirrored.call_args_list], [(1, b"out"), (2, b"wrong")])
        self.assertEqual(
            self.passed_on,
            [(each, 0) for each in ("status", "stream", "display_data", "stream", "execute_result", "error", "error")],
        )

    def test_keeps_what_is_said_at_once_and_not_only_when_the_cell_ends(self):
        seen = []

        class Slow(dict):
            """The next message, when it is asked for."""

            def __getitem__(message, name):
                with open(os.path.join(self.folder, "events.jsonl"), encoding="utf-8") as file:
                    seen.append("first" in file.read())
                return {"msg_type": "status", "content": {}}[name]

        self.cells = {0: [{"msg_type": "stream", "content": {"name": "stdout", "text": "first"}}, Slow()]}
        self.run_book()
        self.assertTrue(all(seen) and seen)

    def test_says_that_the_kernel_died_with_its_last_words(self):
        def write_log(text):
            self.streams["stdout"].write(text)
            self.streams["stdout"].flush()

        class Dead(dict):
            def __getitem__(message, name):
                write_log(b"noise\nFatal Python error: Segmentation fault\n\n  File x\n\n")
                raise DeadKernelError("dead")

        self.cells = {2: [Dead()]}
        code, events = self.run_book()
        self.assertEqual((code, self.course(events)[-2:]), (1, [("end", 2, "error"), ("done", None, None)]))
        self.assertEqual(
            [each["output"] for each in events if each["event"] == "output"],
            [
                {
                    "type": "error",
                    "name": "DeadKernelError",
                    "message": "The kernel died.",
                    "traceback": ["Fatal Python error: Segmentation fault", "", "  File x"],
                }
            ],
        )

    def test_runs_nothing_of_a_notebook_that_cannot_be_read(self):
        request = {"path": os.path.join(self.root, "none.py"), "cellLimitBytes": 1}
        with open(os.path.join(self.folder, "request.json"), "w", encoding="utf-8") as file:
            json.dump(request, file)
        self.assertEqual((asyncio.run(jupyter.main(self.folder)), self.client), (1, None))


class LastWords(FolderTest):
    def words(self, data):
        path = os.path.join(self.folder, "kernel.log")
        with open(path, "wb") as file:
            file.write(data)
        return jupyter.last_words(path)

    def test_are_those_of_the_interpreter_from_its_last_fatal_error_on(self):
        self.assertEqual(self.words(b"all is well\n"), [])
        self.assertEqual(
            self.words(b"Fatal Python error: one\nx\nFatal Python error: two\n\xff y \n\n"),
            ["Fatal Python error: two", "\ufffd y"],
        )

    def test_are_two_hundred_lines_of_the_end_at_most(self):
        lines = self.words(b"Fatal Python error: deep\n" + b"in f\n" * 300)
        self.assertEqual((len(lines), lines[0]), (200, "Fatal Python error: deep"))
        self.assertEqual(self.words(b"Fatal Python error: long ago\n" + b"x" * 20000), [])


if __name__ == "__main__":
    unittest.main()
