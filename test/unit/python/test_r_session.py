"""Cells in R, with a stand-in for R: it prints what stands in a cell, and fails or ends where that says so."""

import contextlib
import io
import os
import sys
import tempfile
import unittest
from unittest import mock

from millrace_runner import r_session

STAND_IN = (
    """#!%s
import sys
assert sys.argv[1] == "--vanilla" and sys.argv[2].endswith("r_loop.R")
for path in sys.stdin:
    source = open(path.rstrip("\\n"), encoding="utf-8").read()[:-1]
    if source == "quit":
        print("Bye.")
        sys.exit(3)
    sys.stdout.write(source)
    print("\\n" + sys.argv[3], "error went wrong" if source == "stop" else "ok", flush=True)
"""
    % sys.executable
)


class Session(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        program = os.path.join(folder.name, "Rscript")
        with open(program, "w", encoding="utf-8") as file:
            file.write(STAND_IN)
        os.chmod(program, 0o755)
        with mock.patch.object(r_session, "find", lambda: program):
            self.session = r_session.Session(folder.name)
        for stream in (self.session.process.stdin, self.session.process.stdout):
            self.addCleanup(stream.close)
        self.addCleanup(self.session.process.wait)
        self.addCleanup(self.session.process.kill)

    def run_cell(self, source):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            try:
                self.session.run(source)
                return printed.getvalue(), None
            except r_session.RError as error:
                return printed.getvalue(), str(error)

    def test_prints_what_a_cell_does_to_the_letter(self):
        for source in ("", "é", "one\n", "one\ntwo", "\n\nthree\n\n"):
            self.assertEqual(self.run_cell(source), (source, None))

    def test_goes_on_after_a_cell_that_failed(self):
        self.assertEqual(self.run_cell("stop"), ("stop", "went wrong"))
        self.assertEqual(self.run_cell("on"), ("on", None))

    def test_says_that_it_ended_and_shows_all_it_printed(self):
        self.assertEqual(self.run_cell("quit"), ("Bye.\n", "R ended with code 3"))
