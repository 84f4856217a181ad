"""How a program runs, and what is written of its end."""

import os
import subprocess
import sys
import unittest

import run_program

from support import FolderTest

HANDLED = """
    import os, sys, traceback
    try:
        1 / 0
    except ZeroDivisionError:
        traceback.print_exc()
"""


class Program(FolderTest):
    def run_program(self, source, *arguments):
        """Its code, what it prints, and the cause that is written."""
        self.program = self.write("jobs/etl.py", source)
        cause = os.path.join(self.folder, "cause.txt")
        command = [sys.executable, run_program.__file__, cause, self.program, *arguments]
        done = subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        self.errors = done.stderr.decode()
        if not os.path.exists(cause):
            return done.returncode, done.stdout.decode(), None
        with open(cause, encoding="utf-8") as file:
            text = file.read()
        os.remove(cause)
        return done.returncode, done.stdout.decode(), text

    def test_finds_all_as_if_it_were_started_by_itself(self):
        self.write("jobs/traceback.py", "name = 'beside'\n")
        done = self.run_program(
            """
            import sys, traceback, __main__
            print(sys.argv[1:], __name__, __file__ == sys.argv[0], __main__.__file__ == __file__, traceback.name)
            print([name for name in sys.modules if "millrace" in name], sys.path[0] == __file__.rpartition("/")[0])
            """,
            "a b",
        )
        self.assertEqual(done, (0, "['a b'] __main__ True True beside\n[] True\n", None))

    def test_writes_the_exception_that_ended_it_whatever_its_message_quotes(self):
        quoted = "no\\nTraceback (most recent call last):\\nKeyError: 1"
        code, _, cause = self.run_program("def f():\n    raise ValueError('%s')\nf()\n" % quoted)
        self.assertEqual((code, cause.split("\n")[:3]), (1, ["error", "ValueError: no", self.errors.split("\n")[0]]))
        self.assertEqual(cause.split("\n", 2)[2], self.errors)
        self.assertNotIn("millrace_runner", self.errors)

    def test_writes_the_first_telling_line_of_a_message_that_quotes_a_traceback(self):
        quoting = "raise RuntimeError('step failed\\nRuntimeError: step failed: disk full')"
        self.assertEqual(self.run_program(quoting)[2].split("\n")[:2], ["error", "RuntimeError: step failed"])
        heading = "raise ValueError('Traceback (most recent call last):\\n  File 1\\nKeyError: no')"
        self.assertEqual(self.run_program(heading)[2].split("\n")[:2], ["error", "ValueError: KeyError: no"])

    def test_writes_how_it_exited_whatever_it_printed(self):
        for last, expected in (
            ("sys.exit(3)", (3, "exit")),
            ("sys.exit('no space')", (1, "text\nno space")),
            ("os._exit(4)", (4, None)),
            ("os._exit(5) if os.fork() else [][0]", (5, None)),
        ):
            with self.subTest(last):
                code, _, cause = self.run_program(HANDLED + "    " + last)
                self.assertEqual((code, cause), expected)

    def test_is_told_by_the_type_where_the_text_fails(self):
        code, _, cause = self.run_program(
            """
            class Odd(Exception):
                def __str__(self):
                    raise ValueError
            raise Odd
            """
        )
        self.assertEqual((code, cause.split("\n")[1]), (1, "Odd: <exception str() failed>"))


if __name__ == "__main__":
    unittest.main()
