"""Magics of IPython without IPython."""

import contextlib
import io
import os
import unittest
from unittest import mock

from millrace_runner import magics
from millrace_runner.errors import NotebookError
from support import MachineTest, where_raised


class Times(unittest.TestCase):
    def test_have_three_digits_and_a_unit(self):
        times = {0: "0 ns", 5e-9: "5 ns", 1.5e-6: "1.5 μs", 0.012345: "12.3 ms", 1: "1 s", 59.99: "60 s"}
        self.assertEqual([magics.format_time(each) for each in times], list(times.values()))

    def test_above_a_minute_have_parts(self):
        self.assertEqual(
            [magics.format_time(each) for each in (60, 3725, 90061)], ["1min", "1h 2min 5s", "1d 1h 1min 1s"]
        )


class Expansion(unittest.TestCase):
    def test_puts_values_into_shell_lines(self):
        self.assertEqual(magics.expand("echo {a + 1} $b", {"a": 1, "b": "x"}), "echo 2 x")
        # A variable of the shell is none of Python's own names.
        self.assertEqual(magics.expand("echo $id {len('ab')}", {}), "echo $id 2")

    def test_leaves_alone_what_means_nothing(self):
        self.assertEqual(
            magics.expand("echo $HOME {nothing} {{a}} ${a} \\{a}", {"a": 1}), "echo $HOME {nothing} {{a}} ${a} \\{a}"
        )


class Magics(MachineTest):
    def run_magic(self, mark, name, line="", body="", number=1):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            value = magics.run(self.machine, mark, name, line, body, number)
        return value, printed.getvalue()

    def test_time_gives_the_value_and_the_time(self):
        self.machine.namespace["a"] = 2
        value, printed = self.run_magic("%", "time", "a * 3")
        self.assertEqual(value, 6)
        self.assertRegex(printed, r"\ACPU times: user .+, sys: .+, total: .+\nWall time: .+\n\Z")

    def test_time_of_a_cell_runs_in_the_notebook(self):
        value, _ = self.run_magic("%%", "time", "", "b = 1\nb + 1")
        self.assertEqual((value, self.machine.namespace["b"]), (2, 1))

    def test_time_tells_where_a_cell_failed(self):
        self.machine.cell_name = "<cell 3>"
        place = where_raised(lambda: self.run_magic("%%", "time", "", "a = 1\n1 / 0"))
        self.assertEqual(place, ("<cell 3>", 3))

    def test_timeit_says_how_often_it_ran(self):
        value, printed = self.run_magic("%", "timeit", "-n 2 -r 3 pass")
        self.assertIsNone(value)
        self.assertRegex(printed, r" per loop \(mean ± std\. dev\. of 3 runs, 2 loops each\)\n\Z")

    def test_timeit_is_silent_and_gives_times_where_it_is_told_to(self):
        value, printed = self.run_magic("%", "timeit", "-n1 -r2 -q -o pass")
        self.assertEqual((len(value), printed), (2, ""))

    def test_timeit_of_a_cell_sets_up_by_its_line(self):
        self.machine.namespace["seen"] = seen = []
        self.run_magic("%%", "timeit", "-n 2 -r 1 seen.append('once')", "seen.append('each')")
        self.assertEqual(seen, ["once", "each", "each"])

    def test_env_reads_and_sets_variables(self):
        with mock.patch.dict(os.environ, {"MILL": "old"}):
            self.assertEqual(self.run_magic("%", "env", "MILL"), ("old", ""))
            self.assertEqual(self.run_magic("%", "env", "MILL=new"), (None, "env: MILL=new\n"))
            self.assertEqual(self.run_magic("%", "set_env", "MILL newer"), (None, "env: MILL=newer\n"))
            self.assertEqual(self.run_magic("%", "env")[0]["MILL"], "newer")

    def test_cd_and_pwd_are_of_the_process(self):
        self.addCleanup(os.chdir, os.getcwd())
        self.assertEqual(self.run_magic("%", "cd", "'%s'" % self.root), (None, self.root + "\n"))
        self.assertEqual(self.run_magic("%", "pwd")[0], self.root)

    def test_writefile_writes_and_appends(self):
        path = os.path.join(self.root, "a.txt")
        self.assertEqual(self.run_magic("%%", "writefile", path, "one")[1], "Writing %s\n" % path)
        self.assertEqual(self.run_magic("%%", "writefile", "-a " + path, "two\n")[1], "Appending to %s\n" % path)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), "one\ntwo\n")
        self.assertEqual(self.run_magic("%%", "file", path, "three")[1], "Overwriting %s\n" % path)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), "three\n")

    def test_env_takes_no_blanks_around_a_name_or_a_value(self):
        with mock.patch.dict(os.environ, {}):
            self.run_magic("%", "env", " MILLRACE_A  =  b c ")
            self.assertEqual(os.environ["MILLRACE_A"], "b c")

    def test_html_is_of_a_cell_alone_by_either_name(self):
        self.run_magic("%%", "HTML", "", "<b>a</b>")
        self.assertEqual(self.shown[-1][0]["text/html"], "<b>a</b>")
        for name in ("html", "HTML"):
            with self.assertRaises(NotebookError):
                self.run_magic("%", name, "<b>a</b>")

    def test_html_is_shown(self):
        self.run_magic("%%", "html", "", "<b>x</b>")
        self.assertEqual(self.shown, [({"text/html": "<b>x</b>", "text/plain": "<HTML>"}, False)])

    def test_unknown_ones_are_named_with_their_mark(self):
        for mark, name in (("%", "who"), ("%%", "cd"), ("%", "writefile")):
            with self.subTest(name), self.assertRaisesRegex(
                NotebookError, "The magic %s%s is not known" % (mark, name)
            ):
                self.run_magic(mark, name)


class Shell(MachineTest):
    def setUp(self):
        super().setUp()
        if os.name == "nt":
            self.skipTest("commands of a POSIX shell")

    def test_prints_what_the_command_prints(self):
        self.assertEqual(self.execute("__millrace__.shell('echo out; echo error >&2')"), "out\nerror\n")

    def said_of(self, script):
        self.machine.namespace["script"] = script
        return self.execute("__millrace__.shell(script)")

    def test_reads_utf_8_whatever_else_there_is(self):
        self.assertEqual(self.said_of("printf 'ä\\377b'"), "ä\ufffdb")
        self.execute("lines = __millrace__.shell_lines('echo ä')")
        self.assertEqual(self.machine.namespace["lines"], ["ä"])

    def test_leaves_the_ends_of_lines_as_they_are(self):
        self.assertEqual(self.said_of("printf 'a\\r5\\r\\n'"), "a\r5\r\n")

    def test_fails_with_the_command(self):
        with self.assertRaisesRegex(RuntimeError, "The shell command ended with code 3"):
            self.execute("__millrace__.shell('exit 3')")

    def test_gives_lines_where_it_is_assigned(self):
        self.machine.namespace["a"] = "x"
        self.execute("lines = __millrace__.shell_lines('echo {a}; echo b')")
        self.assertEqual(self.machine.namespace["lines"], ["x", "b"])

    def test_expands_only_lines_with_an_exclamation_mark(self):
        self.machine.namespace["a"] = "x"
        self.assertEqual(self.execute("__millrace__.shell('echo {a}')"), "{a}\n")
        self.assertEqual(self.execute("__millrace__.shell('echo {a}', True)"), "x\n")


class Pip(MachineTest):
    def test_runs_the_program_of_this_python_and_fails_with_it(self):
        program = self.write("run_pip.py", "import sys\nprint(*sys.argv[1:])\nsys.exit(int(sys.argv[-1]))\n")
        with mock.patch("millrace_runner.machine.PROGRAMS", os.path.dirname(program)):
            self.machine.namespace["code"] = 0
            self.assertEqual(self.execute("__millrace__.pip('install \"a b\" {code}')"), "install a b 0\n")
            with self.assertRaisesRegex(RuntimeError, "^pip install 1 failed$"):
                self.execute("__millrace__.pip('install 1')")
            with self.assertRaisesRegex(RuntimeError, "^There is no pip 87$"):
                self.execute("__millrace__.pip('There is no pip 87')")


if __name__ == "__main__":
    unittest.main()
