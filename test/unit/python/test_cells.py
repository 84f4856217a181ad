"""What a cell is, and the Python that carries it out."""

import unittest
from unittest import mock

from millrace_runner.cells import classify, to_python, to_run


def python_of(source, keep_unknown=False, language="python"):
    return to_python(classify(source, "", language), keep_unknown)


class Kinds(unittest.TestCase):
    def test_come_from_the_magic_that_a_cell_begins_with(self):
        kinds = {
            "%md text": "markdown",
            "%sh ls": "shell",
            "%bash\nls": "shell",
            "%sql SELECT 1": "sql",
            "%fs ls /": "files",
            "%run ./a": "run",
        }
        for source, kind in kinds.items():
            with self.subTest(source):
                self.assertEqual(classify(source, "")["kind"], kind)

    def test_come_from_the_language_else(self):
        self.assertEqual(
            [classify("x", "", language)["kind"] for language in ("python", "ipython", "Python3", "sql")],
            ["code", "code", "code", "sql"],
        )

    def test_of_scala_and_java_are_unsupported_by_their_names(self):
        for name in ("scala", "java"):
            self.assertEqual(
                (classify("%%%s\nx" % name, "")["kind"], classify("%%%s\nx" % name, "")["language"]),
                ("unsupported", name),
            )

    def test_of_r_depend_on_whether_there_is_an_r(self):
        with mock.patch("millrace_runner.r_session.find", return_value=None):
            self.assertEqual(classify("%r\n1", "")["kind"], "unsupported")
        with mock.patch("millrace_runner.r_session.find", return_value="/usr/bin/Rscript"):
            self.assertEqual(python_of("%r\n1"), "__millrace__.r('1')")

    def test_keep_the_title(self):
        self.assertEqual(classify("%md a", "The title")["title"], "The title")

    def test_but_text_are_run_and_keep_their_places(self):
        cells = [classify(source, "") for source in ("1", "%md a", "%scala b", "%sh ls")]
        self.assertEqual(
            [(index, cell["kind"]) for index, cell in to_run(cells)], [(0, "code"), (2, "unsupported"), (3, "shell")]
        )

    def test_a_run_in_the_middle_of_code_is_code(self):
        self.assertEqual(classify("%run ./a\nb = 1", "")["kind"], "code")


class Python(unittest.TestCase):
    def test_is_taken_as_it_stands(self):
        source = "a = 5 % 2\nb = a != 1\n# %pip\n"
        self.assertEqual(python_of(source), source)

    def test_with_await_at_its_top_is_taken_as_it_stands(self):
        self.assertEqual(
            python_of("import asyncio\nawait asyncio.sleep(0)\n%d"),
            "import asyncio\nawait asyncio.sleep(0)\n__millrace__.magic('%', 'd', '', '', 3)",
        )
        self.assertEqual(python_of("await f(5\n% 2)"), "await f(5\n% 2)")

    def test_a_percent_in_a_text_of_several_lines_is_no_magic(self):
        source = 'text = """\n%pip install x\n!ls\n"""'
        self.assertEqual(python_of(source), source)

    def test_cells_of_other_languages_become_one_call(self):
        self.assertEqual(python_of("%sh\necho 'a'\necho b"), "__millrace__.shell(\"echo 'a'\\necho b\")")
        self.assertEqual(python_of("%sql SELECT 1"), "__millrace__.sql('SELECT 1')")
        self.assertEqual(python_of("%fs ls dfs:/"), "__millrace__.files('ls dfs:/')")
        self.assertEqual(python_of("%run ./a $b=1"), "__millrace__.run_here('./a $b=1')")
        self.assertEqual(python_of("x", language="scala"), "__millrace__.unsupported('scala')")


class MagicLines(unittest.TestCase):
    def test_become_calls_and_keep_their_place(self):
        self.assertEqual(
            python_of("a = 1\n%pip install x\nif a:\n    %sql SELECT 1"),
            "a = 1\n__millrace__.pip('install x')\nif a:\n    __millrace__.sql('SELECT 1')",
        )

    def test_with_an_exclamation_mark_are_shell_lines(self):
        self.assertEqual(python_of("!ls {a}"), "__millrace__.shell('ls {a}', True)")

    def test_that_are_assigned_give_lines(self):
        self.assertEqual(python_of("files = !ls"), "files = __millrace__.shell_lines('ls')")

    def test_that_go_on_are_joined_and_later_lines_keep_their_numbers(self):
        self.assertEqual(
            python_of("%pip install \\\n  x\nb = 1").split("\n"), ["__millrace__.pip('install x')", "", "b = 1"]
        )

    def test_that_go_on_over_many_lines_are_joined_whole(self):
        lines = python_of("%pip install \\\n  x \\\n  y\nb = 1").split("\n")
        self.assertEqual(lines, ["__millrace__.pip('install x y')", "", "", "b = 1"])

    def test_that_only_matter_at_a_prompt_do_nothing(self):
        for name in ("matplotlib inline", "autoreload 2", "load_ext x", "config a=1"):
            self.assertEqual(python_of("%" + name), "pass")

    def test_in_python_are_python(self):
        self.assertEqual(python_of("a = 1\n%python b = 2\n%python"), "a = 1\nb = 2\npass")

    def test_of_a_whole_cell_are_handed_on_with_their_line(self):
        self.assertEqual(python_of("\n%%time\na = 1"), "__millrace__.magic('%%', 'time', '', 'a = 1', 2)")

    def test_that_are_unknown_are_left_to_ipython_where_it_runs_the_cell(self):
        self.assertEqual(
            python_of("%who\na = !ls\n%pip install x", True), "%who\na = !ls\n__millrace__.pip('install x')"
        )
        self.assertEqual(python_of("%%time\na = 1", True), "%%time\na = 1")


if __name__ == "__main__":
    unittest.main()
