"""What a Jupyter kernel is given, with a stand-in for IPython."""

import json
import os
import sys
import types
import unittest
import warnings
from unittest import mock

from millrace_runner import kernel
from millrace_runner.errors import NotebookExit
from support import FolderTest, keep_modules


class Kernel(FolderTest):
    def setUp(self):
        super().setUp()
        keep_modules(self)
        self.addCleanup(os.chdir, os.getcwd())
        filters = warnings.catch_warnings()
        filters.__enter__()
        self.addCleanup(filters.__exit__, None, None, None)
        self.shown, self.traced, self.calls = [], [], []
        self.formatter = types.SimpleNamespace(pprint=True)
        self.shell = types.SimpleNamespace(
            user_ns={"own": 1},
            display_formatter=types.SimpleNamespace(formatters={"text/plain": self.formatter}),
            compile=types.SimpleNamespace(),
            _showtraceback=lambda *values: self.traced.append(values),
        )
        display = types.ModuleType("IPython.display")
        display.publish_display_data = self.shown.append
        ipython = types.ModuleType("IPython")
        ipython.get_ipython = lambda: self.shell
        ipython.display = display
        sys.modules.update({"IPython": ipython, "IPython.display": display})
        self.path = self.write("dir/book.py", "# %%\na = 1\n# %% [markdown]\n# text\n# %%\nb = 2\n")
        with open(os.path.join(self.folder, "request.json"), "w", encoding="utf-8") as file:
            json.dump({"path": self.path, "root": self.root, "dataFolder": self.folder, "debugSession": "s"}, file)
        debugger = mock.Mock()
        for name in ("know", "wait", "halt"):
            getattr(debugger, name).side_effect = lambda *values, name=name: self.calls.append((name, values))
        with mock.patch.object(kernel, "NotebookDebugger", return_value=debugger) as made:
            kernel.enter_kernel(self.folder, [1, 3])
        made.assert_called_once_with("s")

    def events(self):
        with open(os.path.join(self.folder, "events.jsonl"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def test_tells_the_debugger_of_its_cells_and_waits_for_it_at_last(self):
        (know, (path, cells, name_of)), wait = self.calls
        self.assertEqual(
            (know, path, [cell["kind"] for cell in cells]), ("know", self.path, ["code", "markdown", "code"])
        )
        self.assertEqual((name_of(3), wait), ("<cell 3>", ("wait", ())))

    def test_has_the_names_of_a_notebook_beside_its_own_and_stands_in_its_folder(self):
        names = self.shell.user_ns
        self.assertEqual((names["own"], callable(names["display"])), (1, True))
        self.assertEqual(os.path.realpath(os.getcwd()), os.path.join(self.root, "dir"))
        self.assertEqual([name for name in sys.modules if name.startswith("millrace_runner.")], [])
        names["display"](5)
        self.assertEqual(self.shown, [{"text/plain": "5"}])
        self.assertFalse(self.formatter.pprint)

    def test_names_its_cells_by_their_place_in_the_notebook(self):
        name = self.shell.compile.get_code_name
        self.assertEqual(
            [name("", "", number) for number in (0, 1, 2, 3)], ["<cell 0>", "<cell 1>", "<cell 3>", "<cell 3>"]
        )

    def raised(self, error):
        try:
            raise error
        except BaseException:
            return sys.exc_info()

    def test_shows_errors_as_the_notebook_has_them_where_the_debugger_may_halt(self):
        error = ValueError("no")
        self.shell.showtraceback(self.raised(error))
        self.assertEqual(self.calls[-1], ("halt", (error,)))
        ((kind, shown, lines),) = self.traced
        self.assertEqual((kind, shown, lines[-1]), (ValueError, error, "ValueError: no"))
        for show in (self.shell.showsyntaxerror, self.shell.showindentationerror):
            try:
                raise SyntaxError("bad")
            except SyntaxError:
                show("file", running_compiled_code=True)
            self.assertEqual(self.traced[-1][2][-1], "SyntaxError: bad")

    def test_keeps_the_value_of_an_exit_which_is_no_error(self):
        self.shell.showtraceback(self.raised(NotebookExit("5")))
        self.assertEqual(self.events(), [{"event": "exit", "value": "5", "truncated": False}])
        self.assertEqual(([name for name, _ in self.calls], self.traced[0][0]), (["know", "wait"], NotebookExit))

    def test_gives_no_hint_for_people_at_a_prompt(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.warn("To exit: use 'exit', 'quit', or Ctrl-D.", stacklevel=1)
            warnings.warn("another", stacklevel=1)
        self.assertEqual([str(each.message) for each in caught], ["another"])


if __name__ == "__main__":
    unittest.main()
