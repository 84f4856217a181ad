"""What the cells of one notebook share, and the notebooks that they run."""

import io
import json
import os
import sys
import types
import unittest
from unittest import mock

from millrace_runner.errors import NotebookError
from millrace_runner.runtime_modules import install
from millrace_runner.spark import LazySpark, split_statements
from support import MachineTest, keep_modules, where_raised


class Cells(MachineTest):
    def test_show_the_value_of_their_last_expression(self):
        self.execute("a = 2\na + 1")
        self.assertEqual((self.shown, self.machine.namespace["_"]), ([({"text/plain": "3"}, True)], 3))

    def test_show_nothing_after_a_semicolon_and_for_none(self):
        self.execute("1 + 1;")
        self.execute("1 + 1; \n\n")
        self.execute("None")
        self.execute("a = 1")
        self.assertEqual(self.shown, [])

    def test_give_a_result_of_at_most_a_megabyte_cut_between_two_characters(self):
        limit = 1024 * 1024
        for value, kept, cut in (
            ("a" * limit, limit, False),
            ("a" * (limit + 1), limit, True),
            ("a" * (limit - 1) + "\u20ac", limit - 1, True),
        ):
            self.machine.write_exit(value)
            event = self.events.named("exit")[-1]
            self.assertEqual((len(event["value"]), event["truncated"]), (kept, cut))

    def test_share_their_names(self):
        self.execute("def double(x):\n    return x * 2")
        self.execute("double(4)")
        self.assertEqual(self.plain(), ["8"])

    def test_may_await(self):
        self.addCleanup(lambda: self.machine.loop.close())
        self.execute("import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    return 5\nawait f()")
        self.assertEqual(self.plain(), ["5"])

    def test_display_all_but_none(self):
        self.execute("display(1, None, 'a')")
        self.assertEqual(self.shown, [({"text/plain": "1"}, False), ({"text/plain": "'a'"}, False)])

    def test_are_known_by_name_to_tracebacks(self):
        with self.assertRaises(SyntaxError) as caught:
            self.execute("a = 1\nb = = 2", "<cell 7>")
        self.assertEqual((caught.exception.filename, caught.exception.lineno), ("<cell 7>", 2))

    def test_in_unknown_languages_say_what_to_do(self):
        with self.assertRaisesRegex(
            NotebookError, "Cells in scala are not run by the local service. Run this notebook on a workspace"
        ):
            self.machine.unsupported("scala")
        with self.assertRaisesRegex(NotebookError, "Install R, so that Rscript is on the PATH"):
            self.machine.unsupported("r")


class RunHere(MachineTest):
    def test_runs_in_the_same_namespace(self):
        self.write("dir/other.py", "found = 5\n")
        self.execute("__millrace__.run_here('./dir/other')")
        self.assertEqual(self.machine.namespace["found"], 5)

    def test_is_named_by_its_path_in_the_workspace_and_by_its_file_outside_of_it(self):
        inside = os.path.join(self.root, "dir", "other.py")
        self.assertEqual(self.machine.name_in_workspace(inside), "dir/other.py")
        self.assertEqual(self.machine.name_in_workspace(os.path.join(self.folder, "else", "x.py")), "x.py")

    def test_looks_from_the_notebook_that_it_stands_in(self):
        self.write("dir/other.py", "# Databricks notebook source\n# MAGIC %run ./third\n")
        self.write("dir/third.py", "found = 5\n")
        self.execute("__millrace__.run_here('dir/other.py')")
        self.assertEqual((self.machine.namespace["found"], self.machine.base), (5, self.root))

    def test_takes_parameters(self):
        self.write("other.py", 'found = dbutils.widgets.get("a")\n')
        self.execute("__millrace__.run_here('./other $a=\"x y\"')")
        self.assertEqual(self.machine.namespace["found"], "x y")

    def test_leaves_out_markdown(self):
        self.write("other.py", "# %% [markdown]\n# no Python\n# %%\nfound = 5\n")
        self.execute("__millrace__.run_here('/other')")
        self.assertEqual(self.machine.namespace["found"], 5)

    def test_names_the_cell_in_which_it_failed(self):
        self.write("other.py", "# %%\na = 1\n# %%\n1 / 0\n")
        place = where_raised(lambda: self.execute("__millrace__.run_here('other')"))
        self.assertEqual(place, ("<cell 2 of other.py>", 1))

    def test_tells_notebooks_of_one_file_name_apart(self):
        self.write("a/common.py", "def of_a():\n    1 / 0\n")
        self.write("b/common.py", "def of_b():\n    1 / 0\n")
        self.execute("__millrace__.run_here('a/common')")
        self.execute("__millrace__.run_here('./b/common')")
        places = [where_raised(self.machine.namespace[name]) for name in ("of_a", "of_b")]
        self.assertEqual(places, [("<cell 1 of a/common.py>", 2), ("<cell 1 of b/common.py>", 2)])

    def test_goes_on_from_where_it_was_after_a_failure(self):
        self.write("dir/other.py", "1 / 0\n")
        with self.assertRaises(ZeroDivisionError):
            self.execute("__millrace__.run_here('dir/other')")
        self.assertEqual((self.machine.base, len(self.machine.including)), (self.root, 1))

    def test_does_not_run_itself(self):
        self.write("one.py", "# Databricks notebook source\n# MAGIC %run ./two\n")
        self.write("two.py", "# Databricks notebook source\n# MAGIC %run ./one\n")
        with self.assertRaisesRegex(NotebookError, r"%run ./one runs itself: .*one\.py > .*two\.py"):
            self.execute("__millrace__.run_here('./one')")

    def test_does_not_run_itself_by_another_name_either(self):
        self.write("one.py", "# Databricks notebook source\n# MAGIC %run ./alias\n")
        os.symlink(os.path.join(self.root, "one.py"), os.path.join(self.root, "alias.py"))
        with self.assertRaisesRegex(NotebookError, "^%run ./alias runs itself: "):
            self.execute("__millrace__.run_here('./one')")

    def test_runs_one_again_that_is_over(self):
        self.write("other.py", "count = globals().get('count', 0) + 1\n")
        for _ in range(2):
            self.execute("__millrace__.run_here('./other')")
        self.assertEqual(self.machine.namespace["count"], 2)

    def test_needs_a_path(self):
        with self.assertRaisesRegex(NotebookError, "^%run needs the path of a notebook$"):
            self.machine.run_here(" ")

    def test_says_where_it_looked(self):
        with self.assertRaisesRegex(
            FileNotFoundError, r"Notebook ./none was not found: looked for .*none\(\.py, \.ipynb"
        ):
            self.machine.run_here("./none")

    def test_stays_inside_of_the_workspace(self):
        with open(os.path.join(self.folder, "outside.py"), "w", encoding="utf-8"):
            pass
        for path in ("../outside", "/../outside"):
            with self.subTest(path), self.assertRaisesRegex(PermissionError, "leads out of"):
                self.machine.run_here(path)

    def test_finds_paths_of_a_workspace_and_of_each_kind(self):
        path = self.write("dir/book.sql", "SELECT 1")
        self.assertEqual(
            [self.machine.find_notebook(each) for each in ("/Workspace/dir/book", "/dir/book", "dir/book.sql")],
            [path] * 3,
        )


class Places(MachineTest):
    def test_of_each_scheme_are_in_a_folder_of_the_data(self):
        data = os.path.join(self.folder, "data")
        for path, place in (
            ("dfs:/a/b.txt", "dfs/a/b.txt"),
            ("DBFS:///a", "dfs/a"),
            ("/a", "dfs/a"),
            ("a", "dfs/a"),
            ("s3://bucket/a", "objstore/bucket/a"),
            ("s3a://bucket/a", "objstore/bucket/a"),
            ("gs://bucket/a", "objstore/bucket/a"),
            ("objstore://bucket/a", "objstore/bucket/a"),
        ):
            with self.subTest(path):
                self.assertEqual(self.machine.place(path), os.path.join(data, *place.split("/")))
        self.assertEqual(self.machine.place("file:///a/../b"), os.path.abspath("/b"))

    def test_stay_inside_of_it(self):
        os.symlink(self.root, os.path.join(self.machine.place("dfs:/"), "link"))
        for path in ("dfs:/../x", "/../x", "objstore://../x", "dfs:/link/x", "dfs:/../dfs2/x"):
            with self.subTest(path), self.assertRaisesRegex(PermissionError, "leads out of"):
                self.machine.place(path)


class RunApart(MachineTest):
    def run_apart(self, source, *arguments):
        self.write("other.py", source)
        self.machine.request["cellLimitBytes"] = 10000
        return self.machine.run_apart("other", *(arguments or (0, {})))

    def test_gives_the_value_of_its_exit(self):
        self.assertEqual(
            self.run_apart('dbutils.notebook.exit("value " + dbutils.widgets.get("a"))\n', 60, {"a": 1}), "value 1"
        )
        self.assertIsNone(self.run_apart("1\n"))

    def test_fails_with_its_error(self):
        with self.assertRaisesRegex(RuntimeError, "^Notebook other failed: ZeroDivisionError: division by zero$"):
            self.run_apart("1 / 0\n")
        with self.assertRaisesRegex(RuntimeError, "^Notebook other failed: a cell's output is above the limit$"):
            self.run_apart('print("x" * 20000)\n')

    def test_is_ended_when_its_time_is_over(self):
        with self.assertRaisesRegex(TimeoutError, "Notebook other took longer than 0.5 seconds and was ended"):
            self.run_apart("import time\ntime.sleep(600)\n", 0.5, {})

    def test_is_not_nested_without_end(self):
        self.machine.request["depth"] = 20
        with self.assertRaisesRegex(NotebookError, "nested more than 20 deep"):
            self.run_apart("1\n")

    def test_is_handed_all_but_the_debugger(self):
        self.machine.request.update(debugSession={"port": 1}, depth=3, sparkMaster="local")
        self.run_apart("1\n", 0, {"a": 1, "b": None})
        self.run_apart("2\n", 0, {})
        with open(os.path.join(self.folder, "children", "1", "request.json"), encoding="utf-8") as file:
            request = json.load(file)
        self.assertEqual(
            request,
            dict(
                self.machine.request,
                path=os.path.join(self.root, "other.py"),
                depth=4,
                taskFolder=self.machine.folder,
                parameters={"a": "1", "b": "None"},
                debugSession=None,
            ),
        )
        self.assertTrue(os.path.isdir(os.path.join(self.folder, "children", "2")))

    def test_says_that_no_debugger_follows(self):
        said = []
        self.machine.debugger.say = lambda *values: said.append(values)
        self.run_apart("1\n")
        self.assertEqual(said, [("stderr", "other runs without the debugger: its breakpoints are not met.\n")])

    def test_shares_no_names_with_this_notebook(self):
        self.machine.namespace["a"] = 1
        with self.assertRaisesRegex(RuntimeError, "NameError: name 'a' is not defined"):
            self.run_apart("a\n")


class CellsInR(MachineTest):
    def test_share_one_process_that_is_started_with_the_first(self):
        with mock.patch("millrace_runner.r_session.Session") as session:
            self.machine.r("a <- 1")
            self.machine.r("a")
        session.assert_called_once_with(self.folder)
        self.assertEqual([each[0] for each in session.return_value.run.call_args_list], [("a <- 1",), ("a",)])


class FilesMagic(MachineTest):
    def test_lists_as_a_table(self):
        self.machine.dbutils.fs.put("/a/b.txt", "text")
        self.machine.files("ls /a")
        self.assertEqual(self.plain(), ["/a/b.txt"])
        self.assertIn("<th>modificationTime</th>", self.shown[0][0]["text/html"])
        self.assertFalse(self.shown[0][1], "it is shown, and no value of the cell")

    def test_prints_what_else_it_gives(self):
        self.assertEqual(self.execute("__millrace__.files('put /a.txt \"some text\"')"), "True\n")
        self.assertEqual(self.execute("__millrace__.files('head /a.txt')"), "some text\n")

    def test_needs_a_command(self):
        with self.assertRaisesRegex(NotebookError, "%fs needs a command"):
            self.machine.files("")


class Spark(MachineTest):
    def test_is_not_started_by_looking_at_it(self):
        self.machine.spark_session = lambda: self.fail("Spark was started")
        spark = LazySpark(self.machine)
        self.assertEqual((repr(spark), hasattr(spark, "__wrapped__")), ("<Spark, not started yet>", False))

    def test_is_started_by_using_it(self):
        session = types.SimpleNamespace(version="4", sparkContext=types.SimpleNamespace(master="local"))
        self.machine.spark_session = lambda: session
        self.assertEqual(
            (LazySpark(self.machine).version, LazySpark(self.machine, "sparkContext").master), ("4", "local")
        )

    def test_that_is_not_installed_says_how_to_install_it(self):
        with mock.patch.dict(sys.modules, {"pyspark": None, "pyspark.sql": None}):
            with self.assertRaisesRegex(NotebookError, "%pip install pyspark"):
                self.machine.spark_session()

    def test_statements_are_cut_at_semicolons_of_their_own(self):
        text = "SELECT ';' -- a; b\n; SELECT \"x;y\", 'it''s; \\';' /* ; */;"
        self.assertEqual(split_statements(text), ["SELECT ';' \n", " SELECT \"x;y\", 'it''s; \\';' ", ""])

    def test_statements_run_in_their_order_and_show_tables(self):
        asked = []
        empty, table = mock.Mock(columns=[]), mock.Mock(columns=["a"])
        table.limit.return_value.collect.return_value = [(1,)]
        self.machine.spark_session = lambda: types.SimpleNamespace(
            sql=lambda text: asked.append(text) or (table if "SELECT" in text else empty)
        )
        self.machine.sql("USE x; SELECT 1; ")
        self.assertEqual((asked, self.plain()), (["USE x", " SELECT 1"], ["a\n1"]))
        self.assertIs(self.machine.namespace["_sqldf"], table)


class RuntimeModules(MachineTest):
    def setUp(self):
        super().setUp()
        keep_modules(self)
        for name in list(sys.modules):
            if name.split(".")[0] in ("databricks", "pyspark"):
                del sys.modules[name]
        self.machine.fill(self.machine.namespace)

    def test_give_what_a_notebook_has_as_names(self):
        self.execute(
            "from databricks.sdk.runtime import *\n"
            "from databricks.sdk.runtime import dbutils as own\n"
            "own is dbutils, callable(displayHTML)"
        )
        self.assertEqual(self.plain(), ["(True, True)"])

    def test_give_dbutils_as_a_cluster_does(self):
        with mock.patch.dict(sys.modules, {"pyspark": types.ModuleType("pyspark")}):
            sys.modules["pyspark"].__path__ = []
            self.execute("from pyspark.dbutils import DBUtils\nDBUtils(None) is dbutils")
        self.assertEqual(self.plain(), ["True"])

    def test_say_how_to_have_the_rest(self):
        if any(os.path.isdir(os.path.join(path, "databricks", "sdk")) for path in sys.path):
            self.skipTest("databricks-sdk is installed")
        with self.assertRaisesRegex(ImportError, "Install the rest with: %pip install databricks-sdk"):
            self.execute("from databricks.sdk import WorkspaceClient")

    def test_ask_for_their_own_first_and_stand_in_for_what_nobody_else_has(self):
        keep_modules(self)
        install(self.machine)
        self.assertEqual([type(each).__name__ for each in (sys.meta_path[0], sys.meta_path[-1])], ["Own", "Parents"])

    def test_come_before_a_runtime_that_is_installed(self):
        self.write("databricks/__init__.py", "")
        self.write("databricks/sdk/__init__.py", "")
        self.write("databricks/sdk/runtime.py", "dbutils = None\n")
        sys.path.insert(0, self.root)
        self.execute("from databricks.sdk.runtime import dbutils as own\nown is dbutils")
        self.assertEqual(self.plain(), ["True"])

    def test_give_way_to_an_sdk_that_a_cell_installs(self):
        if any(os.path.isdir(os.path.join(path, "databricks", "sdk")) for path in sys.path):
            self.skipTest("databricks-sdk is installed")
        self.execute("from databricks.sdk.runtime import dbutils")
        self.assertIn("databricks.sdk", sys.modules)
        self.write("databricks/__init__.py", "")
        self.write("databricks/sdk/__init__.py", "WorkspaceClient = 5\n")
        sys.path.insert(0, self.root)
        done = mock.Mock(stdout=io.BytesIO(b""), wait=lambda: 0)
        with mock.patch("subprocess.Popen", return_value=done):
            self.execute("__millrace__.pip('install databricks-sdk')")
        self.execute("from databricks.sdk import WorkspaceClient\nWorkspaceClient")
        self.execute("from databricks.sdk.runtime import dbutils as own\nown is dbutils")
        self.assertEqual(self.plain(), ["5", "True"])

    def test_have_no_other_names(self):
        with self.assertRaises(ImportError):
            self.execute("from databricks.sdk.runtime import nothing")


class Shown(MachineTest):
    def test_are_the_first_rows_of_what_is_a_table_in_full_and_only_where_it_is_displayed(self):
        table = types.SimpleNamespace(
            limit=lambda _count: types.SimpleNamespace(collect=lambda: [(1,)]), collect=list, columns=["a"]
        )
        self.machine.display(table)
        self.assertEqual(self.shown[0][0]["text/plain"], "a\n1")
        self.machine.show(table, True)
        self.assertEqual(self.shown[1], ({"text/plain": repr(table)}, True))
        for missing in ("limit", "collect", "columns"):
            with self.subTest(missing):
                fields = {name: value for name, value in vars(table).items() if name != missing}
                other = types.SimpleNamespace(**fields)
                self.machine.display(other)
                self.assertEqual(self.shown[-1], ({"text/plain": repr(other)}, False))

    def test_are_figures_once(self):
        keep_modules(self)

        class Figure:
            def savefig(self, buffer, **_options):
                buffer.write(b"png")

        figure, closed = Figure(), []
        sys.modules["matplotlib.figure"] = types.SimpleNamespace(Figure=Figure)
        sys.modules["matplotlib.pyplot"] = types.SimpleNamespace(close=closed.append)
        self.machine.display(figure)
        self.assertEqual((self.shown[0][0]["image/png"], closed), ("cG5n", [figure]))
        self.machine.display(5)
        self.assertEqual(closed, [figure])
        del sys.modules["matplotlib.pyplot"]
        self.machine.display(figure)
        self.assertEqual((self.shown[-1][0]["image/png"], closed), ("cG5n", [figure]))

    def test_are_not_none(self):
        self.machine.display(None, 0)
        self.assertEqual(self.shown, [({"text/plain": "0"}, False)])


if __name__ == "__main__":
    unittest.main()
