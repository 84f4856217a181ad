"""Notebook files: what their cells are."""

import json
import unittest

from millrace_runner.errors import NotebookError
from millrace_runner.files import read_notebook, uncomment
from support import FolderTest


class SourceNotebooks(FolderTest):
    def cells(self, name, text):
        return read_notebook(self.write(name, text))

    def sources(self, name, text):
        return [cell["source"] for cell in self.cells(name, text)]

    def test_are_cut_at_their_separators(self):
        text = "# Databricks notebook source\na = 1\n\n# COMMAND ----------\n\nb = 2\n"
        self.assertEqual(self.sources("a.py", text), ["a = 1", "b = 2"])

    def test_are_cut_without_the_first_line_too(self):
        self.assertEqual(self.sources("a.py", "a = 1\n# COMMAND ----------\nb = 2\n"), ["a = 1", "b = 2"])

    def test_leave_out_empty_cells(self):
        text = "# Databricks notebook source\n\n# COMMAND ----------\n\n# COMMAND ----------\nb = 2\n"
        self.assertEqual(self.sources("a.py", text), ["b = 2"])

    def test_take_titles_from_their_lines(self):
        cells = self.cells("a.py", "# Databricks notebook source\n# DBTITLE 1,The sum\n1 + 1\n")
        self.assertEqual([(cell["title"], cell["source"]) for cell in cells], [("The sum", "1 + 1")])

    def test_take_titles_without_the_blanks_around_them(self):
        cells = self.cells("a.py", "# Databricks notebook source\n# DBTITLE 1,  The sum \t\n1 + 1\n")
        self.assertEqual([cell["title"] for cell in cells], ["The sum"])

    def test_read_magic_lines_between_which_lines_are_blank(self):
        cells = self.cells("a.py", "# Databricks notebook source\n# MAGIC %md\n  \n# MAGIC text\n")
        self.assertEqual([cell["kind"] for cell in cells], ["markdown"])

    def test_read_magic_lines_as_a_cell_of_another_language(self):
        cells = self.cells(
            "a.py", "# Databricks notebook source\n# MAGIC %md\n# MAGIC # Title\n# MAGIC\n# MAGIC text\n"
        )
        self.assertEqual(cells, [{"kind": "markdown", "source": "# Title\n\ntext", "title": "", "line": 2}])

    def test_know_the_lines_of_their_cells(self):
        text = (
            "# Databricks notebook source\n# DBTITLE 1,The sum\n\na = 1\n\n# COMMAND ----------\n\n"
            "# MAGIC %sh\n# MAGIC ls\n\n# COMMAND ----------\nb = 2\n"
        )
        self.assertEqual([cell["line"] for cell in self.cells("a.py", text)], [4, 8, 12])
        self.assertEqual([cell["line"] for cell in self.cells("b.py", "x = 1\n# %% one\n\ny = 2\n")], [1, 4])
        self.assertEqual([cell["line"] for cell in self.cells("c.py", "\n\nx = 1\n")], [1])

    def test_keep_magic_lines_in_the_middle_of_code(self):
        text = "# Databricks notebook source\na = 1\n# MAGIC %sh\n"
        self.assertEqual(self.sources("a.py", text), ["a = 1\n# MAGIC %sh"])

    def test_of_sql_have_comments_of_sql(self):
        cells = self.cells("a.sql", "-- Databricks notebook source\nSELECT 1\n-- COMMAND ----------\nSELECT 2\n")
        self.assertEqual([(cell["kind"], cell["body"]) for cell in cells], [("sql", "SELECT 1"), ("sql", "SELECT 2")])

    def test_of_scala_are_not_supported(self):
        cells = self.cells(
            "a.scala",
            "// Databricks notebook source\nval x = 1\n// COMMAND ----------\n// MAGIC %python\n// MAGIC x = 1\n",
        )
        self.assertEqual(
            [(cell["kind"], cell["language"]) for cell in cells], [("unsupported", "scala"), ("code", "python")]
        )

    def test_that_are_plain_files_are_one_cell(self):
        self.assertEqual(self.sources("a.py", "a = 1\nb = 2\n"), ["a = 1\nb = 2\n"])

    def test_that_are_empty_have_no_cell(self):
        self.assertEqual(self.cells("a.py", "\n\n"), [])

    def test_may_begin_with_a_byte_order_mark(self):
        self.assertEqual(self.sources("a.py", "\ufeff# Databricks notebook source\na = 1\n"), ["a = 1"])

    def test_may_have_line_ends_of_windows(self):
        path = self.write("a.py", "")
        with open(path, "wb") as file:
            file.write(b"# Databricks notebook source\r\na = 1\r\n# COMMAND ----------\r\nb = 2\r\n")
        self.assertEqual([cell["source"] for cell in read_notebook(path)], ["a = 1", "b = 2"])


class PercentFiles(FolderTest):
    def cells(self, text):
        return read_notebook(self.write("a.py", text))

    def test_are_cut_at_their_marks(self):
        cells = self.cells("# %% First\na = 1\n# %%\nb = 2\n")
        self.assertEqual([(cell["title"], cell["source"]) for cell in cells], [("First", "a = 1"), ("", "b = 2")])

    def test_keep_what_stands_before_the_first_mark(self):
        self.assertEqual([cell["source"] for cell in self.cells("import os\n# %%\nb = 2\n")], ["import os", "b = 2"])

    def test_read_markdown_without_its_comments(self):
        cells = self.cells("# %% [markdown] About\n# # Title\n#text\n# - one\n#   - below\n")
        self.assertEqual(cells, [{"kind": "markdown", "source": "# Title\ntext\n- one\n  - below", "title": "About"}])

    def test_know_markdown_by_either_name_and_no_other(self):
        kinds = ["markdown", "md", "mdx", "code"]
        cells = self.cells("".join("# %%%% [%s]\n# text\n" % kind for kind in kinds))
        self.assertEqual([cell["kind"] for cell in cells], ["markdown", "markdown", "code", "code"])

    def test_leave_out_raw_cells(self):
        self.assertEqual([cell["source"] for cell in self.cells("# %% [raw]\nx\n# %%\nb = 2\n")], ["b = 2"])

    def test_read_markdown_in_quotes(self):
        self.assertEqual(uncomment('"""\n# Title\ntext\n"""'), "# Title\ntext")


class NotebooksByTheirNames(FolderTest):
    def test_have_the_language_of_their_ending(self):
        for name, language in {
            "a": "python",
            "a.py": "python",
            "a.sql": "sql",
            "a.scala": "scala",
            "a.r": "r",
            "A.R": "r",
            "a.SQL": "sql",
        }.items():
            with self.subTest(name):
                (cell,) = read_notebook(self.write(name, "SELECT 1\n"))
                self.assertEqual((cell["language"], cell["line"]), (language, 1))

    def test_are_cut_by_marks_of_their_own_language_alone(self):
        for name, text, count in [
            ("a.sql", "# COMMAND ----------\nx\n-- COMMAND -----\ny\n", 2),
            ("a.py", "a\n# COMMAND ----\nb\n", 1),
            ("a.py", "a\n # COMMAND ----------\nb\n", 1),
            ("a.py", "a\n# COMMAND ---------- x\nb\n", 1),
            ("a.sql", "# %%\nx\n# %%\ny\n", 1),
            ("a.r", "# Databricks notebook source\nx\n# COMMAND ----------  \ny\n", 2),
        ]:
            with self.subTest(text):
                self.assertEqual(len(read_notebook(self.write(name, text))), count)


class JupyterNotebooks(FolderTest):
    def cells(self, book):
        return read_notebook(self.write("a.ipynb", json.dumps(book)))

    def test_have_code_and_markdown_and_no_raw_cells(self):
        cells = self.cells(
            {
                "cells": [
                    {"cell_type": "markdown", "source": ["# Title\n", "text"]},
                    {"cell_type": "raw", "source": "raw"},
                    {"cell_type": "code", "source": "a = 1"},
                ]
            }
        )
        self.assertEqual(
            [(cell["kind"], cell["source"]) for cell in cells], [("markdown", "# Title\ntext"), ("code", "a = 1")]
        )

    def test_of_the_third_format_have_worksheets(self):
        cells = self.cells({"worksheets": [{"cells": [{"cell_type": "code", "input": ["a = 1\n", "b = 2"]}]}]})
        self.assertEqual([cell["source"] for cell in cells], ["a = 1\nb = 2"])

    def test_take_their_language_from_their_kernel(self):
        cells = self.cells(
            {"metadata": {"kernelspec": {"language": "sql"}}, "cells": [{"cell_type": "code", "source": "SELECT 1"}]}
        )
        self.assertEqual(cells[0]["kind"], "sql")

    def test_take_the_language_of_databricks_before_that_of_the_kernel(self):
        about = {"kernelspec": {"language": "python"}}
        own = dict(about, **{"application/vnd.databricks.v1+notebook": {"language": "sql"}})
        cell = {"cell_type": "code", "source": "SELECT 1"}
        kinds = [self.cells({"metadata": each, "cells": [cell]})[0]["kind"] for each in (own, about, {})]
        self.assertEqual(kinds, ["sql", "code", "code"])

    def test_that_are_broken_are_named(self):
        for text in ("{", "[]", '{"worksheets": []}'):
            with self.subTest(text), self.assertRaisesRegex(NotebookError, r"a\.ipynb is not a Jupyter notebook: "):
                read_notebook(self.write("a.ipynb", text))


if __name__ == "__main__":
    unittest.main()
