"""What is left of a traceback that ends inside of the debugger."""

import json
import os
import subprocess
import sys
import unittest

import run_debugged

from support import FolderTest


def traceback_through(*names):
    """The traceback of an error that was raised in modules of these names, the last one below the others."""
    action = None
    for name in reversed(names):
        source = "def call():\n    " + ("1 / 0" if action is None else "action()") + "\n"
        module = {"__name__": name, "action": action}
        exec(compile(source, name, "exec"), module)
        action = module["call"]
    try:
        action()
    except ZeroDivisionError:
        return sys.exc_info()[2].tb_next


def names_of(trace):
    names = []
    while trace is not None:
        names.append(trace.tb_frame.f_globals["__name__"])
        trace = trace.tb_next
    return names


class Traceback(unittest.TestCase):
    def test_ends_with_the_last_frame_of_the_program(self):
        for given, kept in (
            (("__main__", "mine"), ["__main__", "mine"]),
            (("__main__", "pydevd", "_pydevd_bundle.x"), ["__main__"]),
            (("__main__", "debugpy.server", "mine", "pydevd"), ["__main__", "debugpy.server", "mine"]),
        ):
            with self.subTest(given):
                self.assertEqual(names_of(run_debugged.without_last(traceback_through(*given))), kept)

    def test_is_none_where_there_was_none(self):
        self.assertIsNone(run_debugged.without_last(None))


PYDEVD = """
import types


def settrace(**options):
    print("connected")


uncaught = {"*": 1}


def get_global_debugger():
    return types.SimpleNamespace(break_on_uncaught_exceptions=uncaught)
"""
DEBUGPY = """
def wait_for_client():
    print("waited")


def trigger_exception_handler(error):
    print("halted at", error)
"""


class Program(FolderTest):
    """A program that is run under a stand-in for the debugger."""

    def run_program(self, source, *arguments):
        """Its code, what it prints, and what it says of errors."""
        for path, text in (("pydevd.py", PYDEVD), ("debugpy/__init__.py", DEBUGPY), ("debugpy/server/api.py", "")):
            self.write(os.path.join("debugger", path), text)
        session = self.write(
            "session.json", json.dumps({"debugpy": os.path.join(self.root, "debugger"), "port": 5, "secret": "s"})
        )
        self.program = self.write("jobs/etl.py", source)
        cause = os.path.join(self.folder, "cause.txt")
        command = [sys.executable, run_debugged.__file__, session, cause, self.program, *arguments]
        done = subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        self.assertFalse(os.path.exists(session))
        return done.returncode, done.stdout.decode().splitlines(), done.stderr.decode().splitlines()

    def test_begins_when_the_editor_is_there_and_finds_all_as_if_it_were_started_by_itself(self):
        self.write("jobs/beside.py", "name = 'beside'\n")
        code, printed, errors = self.run_program(
            """
            import sys
            import beside
            import __main__
            print(sys.argv, __name__, __file__ == sys.argv[0], __main__.__file__ == __file__, beside.name)
            print([name for name in sys.modules if "millrace" in name])
            try:
                import millrace_runner
            except ImportError:
                print("hidden")
            print("annotations" in dir(), type(__builtins__).__name__)
            """,
            "a b",
            "--c",
        )
        self.assertEqual((code, errors), (0, []))
        self.assertEqual(
            printed,
            [
                "connected",
                "waited",
                "%r __main__ True True beside" % [self.program, "a b", "--c"],
                "[]",
                "hidden",
                "False module",
            ],
        )

    def test_ends_with_the_code_that_it_exits_with(self):
        for source, expected in (("raise SystemExit(7)", 7), ("import sys; sys.exit(0)", 0), ("exit('no')", 1)):
            with self.subTest(source):
                code, printed, _ = self.run_program(source)
                self.assertEqual((code, printed), (expected, ["connected", "waited"]))

    def test_halts_at_an_error_that_ends_it_and_shows_its_own_lines_alone(self):
        code, printed, errors = self.run_program("def f():\n    return 1 / 0\nf()\n")
        self.assertEqual((code, printed), (1, ["connected", "waited", "halted at division by zero"]))
        self.assertEqual(
            errors[:2], ["Traceback (most recent call last):", '  File "%s", line 3, in <module>' % self.program]
        )
        self.assertEqual(errors[-1], "ZeroDivisionError: division by zero")
        self.assertNotIn("run_debugged", "\n".join(errors))

    def test_shows_wrong_syntax_without_a_halt(self):
        code, printed, errors = self.run_program("a = = 1\n")
        self.assertEqual((code, printed), (1, ["connected", "waited"]))
        self.assertEqual((errors[0], errors[-1]), ('  File "%s", line 1' % self.program, "SyntaxError: invalid syntax"))


if __name__ == "__main__":
    unittest.main()
