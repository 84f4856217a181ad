"""What a reader of the notebook sees of an error, and what of this package a notebook sees: nothing."""

import ast
import glob
import os
import subprocess
import sys
import unittest

from millrace_runner import errors, own_modules
from millrace_runner.errors import NotebookError, NotebookExit, safe_text, user_traceback
from support import FolderTest, MachineTest


class Tracebacks(MachineTest):
    def traceback_of(self, source):
        try:
            self.execute(source, "<cell 1>")
        except Exception as error:
            return user_traceback(type(error), error, error.__traceback__)
        self.fail("nothing was raised")

    def test_begin_at_the_cell(self):
        lines = self.traceback_of("def f():\n    return 1 / 0\nf()")
        self.assertEqual(
            (lines[0], lines[1]), ("Traceback (most recent call last):", '  File "<cell 1>", line 3, in <module>')
        )
        self.assertIn("    return 1 / 0", lines)
        self.assertEqual(lines[-1], "ZeroDivisionError: division by zero")

    def test_show_no_line_of_this_package(self):
        for source in ("dbutils.widgets.get('a')", "__millrace__.magic('%%', 'time', '', '1 / 0', 1)", "display.x"):
            with self.subTest(source):
                self.assertNotIn("millrace_runner", "\n".join(self.traceback_of(source)))

    def test_show_no_line_of_this_package_in_causes(self):
        lines = self.traceback_of(
            "try:\n    dbutils.widgets.get('a')\nexcept ValueError as error:\n    raise KeyError('b') from error"
        )
        self.assertNotIn("millrace_runner", "\n".join(lines))
        self.assertIn("The above exception was the direct cause of the following exception:", lines)

    def test_show_no_line_of_this_package_in_what_was_handled_then(self):
        lines = self.traceback_of("try:\n    dbutils.widgets.get('a')\nexcept ValueError:\n    raise KeyError('b')")
        self.assertNotIn("millrace_runner", "\n".join(lines))
        self.assertIn("During handling of the above exception, another exception occurred:", lines)

    def test_of_wrong_syntax_are_its_place_alone(self):
        lines = self.traceback_of("a = = 1")
        self.assertEqual((lines[0], lines[-1]), ('  File "<cell 1>", line 1', "SyntaxError: invalid syntax"))

    def test_show_a_users_file_of_the_name_of_ours(self):
        self.write("machine.py", "def fail():\n    1 / 0\n")
        sys.path.insert(0, self.root)
        self.addCleanup(sys.modules.pop, "machine", None)
        self.addCleanup(sys.path.remove, self.root)
        self.assertIn("machine.py", "\n".join(self.traceback_of("import machine\nmachine.fail()")))


class Names(unittest.TestCase):
    def test_of_cells_are_their_numbers(self):
        self.assertEqual(errors.cell_name(3), "<cell 3>")

    def test_of_our_errors_are_those_of_the_language(self):
        for kind in (NotebookError, NotebookExit):
            self.assertEqual(kind.__module__, "builtins")

    def test_an_exit_is_no_exception_that_handlers_take(self):
        self.assertFalse(issubclass(NotebookExit, Exception))

    def test_errors_without_words_are_shown_all_the_same(self):
        class Silent(Exception):
            def __str__(self):
                raise ValueError

        self.assertEqual((safe_text(Silent()), safe_text(ValueError("a"))), ("<unprintable Silent>", "a"))


class OwnModules(FolderTest):
    def python(self, program, *arguments):
        command = [sys.executable, *arguments, "-c", program, own_modules.PROGRAMS]
        done = subprocess.run(command, cwd=self.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return done.stdout.decode(), done.stderr.decode()

    def test_are_gone_when_they_are_hidden(self):
        program = (
            "import sys; sys.path.insert(0, sys.argv[1]);"
            "from millrace_runner import notebook, own_modules; own_modules.hide();"
            "print([n for n in sys.modules if 'millrace' in n], sys.argv[1] in sys.path, callable(notebook.main))"
        )
        for flags in ((), ("-I",)):
            self.assertEqual(self.python(program, *flags), ("[] False True\n", ""))

    def test_are_never_imported_late(self):
        # Once they are hidden, that would find nothing, or a module of the user's.
        for path in glob.glob(os.path.join(errors.FOLDER, "*.py")):
            with open(path, encoding="utf-8") as file:
                tree = ast.parse(file.read())
            for function in [
                each for each in ast.walk(tree) if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))
            ]:
                for each in ast.walk(function):
                    self.assertFalse(
                        isinstance(each, ast.ImportFrom) and each.level > 0, "%s imports in %s" % (path, function.name)
                    )


class Examination(FolderTest):
    def test_prints_one_line_about_this_python(self):
        path = os.path.join(own_modules.PROGRAMS, "examine_python.py")
        done = subprocess.run([sys.executable, path], cwd=self.root, stdout=subprocess.PIPE)
        self.assertRegex(done.stdout.decode(), r'\A@\{.*"version": "%d\.%d\.%d".*\}\s*\Z' % sys.version_info[:3])


if __name__ == "__main__":
    unittest.main()
