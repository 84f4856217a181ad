"""dbutils of one machine."""

import json
import os
import pickle
import unittest

from millrace_runner.errors import NotebookExit
from millrace_runner.task_values import TaskValues as TaskValuesOfFolder
from support import MachineTest


class DbutilsTest(MachineTest):
    def setUp(self):
        super().setUp()
        self.dbutils = self.machine.dbutils


class Widgets(DbutilsTest):
    def setUp(self):
        super().setUp()
        self.widgets = self.dbutils.widgets

    def test_have_their_defaults_as_text(self):
        self.widgets.text("a", 1)
        self.assertEqual(self.widgets.get("a"), "1")

    def test_take_the_value_of_the_run_first(self):
        self.machine.parameters["a"] = "run"
        self.widgets.text("a", "default")
        self.assertEqual(self.widgets.get("a"), "run")

    def test_that_are_not_defined_are_an_error(self):
        with self.assertRaisesRegex(ValueError, "InputWidgetNotDefined: No input widget named a is defined"):
            self.widgets.get("a")

    def test_that_are_parameters_need_no_definition(self):
        self.machine.parameters["a"] = "run"
        self.assertEqual(self.widgets.get("a"), "run")

    def test_refuse_a_default_that_is_no_choice(self):
        for define in (self.widgets.dropdown, self.widgets.multiselect):
            with self.subTest(define), self.assertRaisesRegex(
                ValueError, "The default 'x' of the widget 'a' is not one of its choices"
            ):
                define("a", "x", ["y"])

    def test_that_are_comboboxes_take_any_default(self):
        self.widgets.combobox("a", "x", ["y"])
        self.assertEqual(self.widgets.get("a"), "x")

    def test_are_told_to_whoever_shows_the_run(self):
        self.machine.parameters["a"] = "y"
        self.widgets.dropdown("a", "x", ["x", "y"], "The label")
        told = {
            "event": "widget",
            "name": "a",
            "kind": "dropdown",
            "default": "x",
            "choices": ["x", "y"],
            "label": "The label",
            "value": "y",
        }
        self.assertEqual(self.events.all, [told])

    def test_get_argument_has_a_default_of_its_own(self):
        self.assertEqual(self.widgets.getArgument("a", "other"), "other")
        with self.assertRaises(ValueError):
            self.widgets.getArgument("a")

    def test_get_all_gives_defaults_and_values(self):
        self.machine.parameters["a"] = "run"
        self.widgets.text("a", "1")
        self.widgets.text("b", "2")
        self.assertEqual(self.widgets.getAll(), {"a": "run", "b": "2"})

    def test_are_gone_when_they_are_removed(self):
        self.machine.parameters["a"] = "run"
        for name in "abc":
            self.widgets.text(name, "1")
        self.widgets.remove("a")
        self.assertEqual(self.widgets.getAll(), {"b": "1", "c": "1"})
        self.widgets.removeAll()
        self.assertEqual(self.widgets.getAll(), {})


class Notebook(DbutilsTest):
    def test_exit_passes_handlers_of_exceptions(self):
        with self.assertRaises(NotebookExit) as caught:
            try:
                self.dbutils.notebook.exit(5)
            except Exception:
                self.fail("exit was caught")
        self.assertEqual(str(caught.exception), "5")

    def test_run_hands_on_its_arguments(self):
        given = []
        self.machine.run_apart = lambda *values: given.append(values) or "value"
        self.assertEqual(self.dbutils.notebook.run("./a", 5, {"b": 1}), "value")
        self.dbutils.notebook.run("./a")
        self.assertEqual(given, [("./a", 5, {"b": 1}), ("./a", 0, {})])


class Files(DbutilsTest):
    def setUp(self):
        super().setUp()
        self.fs = self.dbutils.fs

    def test_are_written_read_and_listed(self):
        self.fs.put("dfs:/a/b.txt", "text")
        self.assertEqual(self.fs.head("dfs:/a/b.txt"), "text")
        (found,) = self.fs.ls("dfs:/a")
        self.assertEqual((found.path, found.name, found.size, found.isFile()), ("dfs:/a/b.txt", "b.txt", 4, True))
        self.assertEqual(
            [(each.path, each.name, each.size, each.isDir()) for each in self.fs.ls("dfs:/")],
            [("dfs:/a/", "a/", 0, True)],
        )

    def test_are_not_overwritten_unless_told(self):
        self.fs.put("/a.txt", "old")
        with self.assertRaisesRegex(FileExistsError, "/a.txt exists already; pass overwrite=True"):
            self.fs.put("/a.txt", "new")
        self.assertEqual(self.fs.head("/a.txt"), "old")
        self.fs.put("/a.txt", "new", True)
        self.assertEqual(self.fs.head("/a.txt", 2), "ne")

    def test_are_copied_and_moved(self):
        self.fs.put("/a/b.txt", "text")
        with self.assertRaisesRegex(IsADirectoryError, "pass recurse=True"):
            self.fs.cp("/a", "/c")
        self.fs.cp("/a", "/c", True)
        self.fs.mv("/c/b.txt", "/d/e.txt")
        self.assertEqual(
            ([each.name for each in self.fs.ls("/c")], self.fs.head("/d/e.txt"), self.fs.head("/a/b.txt")),
            ([], "text", "text"),
        )

    def test_are_copied_into_folders_that_are_there_and_say_so(self):
        self.fs.put("/a/b.txt", "text")
        self.fs.put("/c/d.txt", "other")
        self.assertEqual(
            [self.fs.cp("/a/b.txt", "/c/e.txt"), self.fs.cp("/a", "/c", True), self.fs.mv("/a/b.txt", "/c/f.txt")],
            [True, True, True],
        )
        self.assertEqual([each.name for each in self.fs.ls("/c")], ["b.txt", "d.txt", "e.txt", "f.txt"])
        self.assertEqual([self.fs.mkdirs("/c"), self.fs.mkdirs("/c/g/h")], [True, True])

    def test_tell_when_they_were_changed_in_milliseconds(self):
        self.fs.put("/b.txt", "text")
        os.utime(self.machine.place("/b.txt"), (5, 5.25))
        self.assertEqual([each.modificationTime for each in self.fs.ls("/b.txt")], [5250])

    def test_are_removed_and_folders_only_when_told(self):
        self.fs.put("/a/b.txt", "text")
        with self.assertRaises(OSError):
            self.fs.rm("/a")
        self.assertEqual([self.fs.rm("/a", True), self.fs.rm("/a")], [True, False])

    def test_of_a_store_are_apart(self):
        self.fs.put("s3://bucket/a.txt", "text")
        self.assertEqual(self.fs.head("objstore://bucket/a.txt"), "text")
        with self.assertRaises(FileNotFoundError):
            self.fs.head("dfs:/bucket/a.txt")

    def test_of_the_machine_are_where_they_are(self):
        path = self.write("a.txt", "text")
        self.assertEqual(self.fs.head("file:" + path), "text")

    def test_outside_of_their_folder_are_refused(self):
        for path in ("dfs:/../../a", "objstore:/../x"):
            with self.subTest(path), self.assertRaisesRegex(PermissionError, "leads out of"):
                self.fs.head(path)

    def test_behind_a_link_out_of_their_folder_are_refused(self):
        if os.name == "nt":
            self.skipTest("links need a right there")
        self.fs.mkdirs("/a")
        os.symlink(self.root, self.machine.place("/a") + "/out")
        with self.assertRaises(PermissionError):
            self.fs.put("/a/out/x.txt", "text")

    def test_show_all_they_have(self):
        self.fs.put("/b.txt", "text")
        self.assertRegex(
            repr(self.fs.ls("/")), r"^\[FileInfo\(path='/b.txt', name='b.txt', size=4, modificationTime=\d+\)\]$"
        )


class TaskValues(DbutilsTest):
    def setUp(self):
        super().setUp()
        self.machine = self.make_machine(taskKey="own")
        self.values = self.machine.dbutils.jobs.taskValues

    def test_are_of_the_own_task(self):
        self.values.set("a", [1])
        self.assertEqual([self.values.get("own", "a"), self.values.get(key="a")], [[1], [1]])

    def test_are_those_that_are_set_whatever_else_is_given(self):
        for value in (0, "", False, None):
            self.values.set("a", value)
            self.assertEqual(self.values.get("own", "a", 2, 3), value)

    def test_that_are_not_set_are_said_to_be_of_no_other_task(self):
        with self.assertRaisesRegex(ValueError, "^No task value 'b' is set, and there is neither default"):
            self.values.get("own", "b")

    def test_must_be_json(self):
        with self.assertRaises(TypeError):
            self.values.set("a", object())
        with self.assertRaises(ValueError):
            self.values.get(key="a")

    def test_of_another_task_are_its_default(self):
        self.values.set("a", 1)
        self.assertEqual([self.values.get("other", "a", 2), self.values.get("other", "a", debugValue=3)], [2, 3])
        for default in (0, "", False, []):
            self.assertEqual(self.values.get("other", "a", default, 3), default)
        with self.assertRaisesRegex(
            ValueError, "No task value 'a' is set by the task 'other', which is not part of this run"
        ):
            self.values.get("other", "a")


class TaskValuesAmongTasks(DbutilsTest):
    def setUp(self):
        super().setUp()
        self.machine = self.make_machine(taskKey="own")
        with open(os.path.join(self.machine.folder, "task.json"), "w") as file:
            json.dump({"taskKey": "own", "values": {"first": {"a": 1}}}, file)
        self.values = TaskValuesOfFolder(self.machine.folder)

    def test_are_those_of_tasks_before(self):
        self.assertEqual(self.values.get("first", "a", debugValue=2), 1)
        with self.assertRaises(ValueError):
            self.values.get("first", "b", debugValue=2)

    def test_are_kept_for_tasks_after(self):
        self.values.set("x", [1])
        TaskValuesOfFolder(self.machine.folder).set("y", "z")
        with open(os.path.join(self.machine.folder, "task_values.json")) as file:
            self.assertEqual(json.load(file), {"x": [1], "y": "z"})

    def test_have_a_limit(self):
        with self.assertRaises(ValueError):
            self.values.set("x", "a" * 50000)


class Rest(DbutilsTest):
    def test_names_what_it_does_not_have(self):
        for expression, name in (
            ("data", "data"),
            ("fs.mount", "fs.mount"),
            ("jobs.other", "jobs.other"),
            ("widgets.x", "widgets.x"),
        ):
            with self.subTest(name), self.assertRaisesRegex(
                AttributeError, "^dbutils.%s is not offered by the local service$" % name
            ):
                eval("dbutils." + expression, {"dbutils": self.dbutils})

    def test_keeps_no_secrets_and_says_which_was_not_read(self):
        with self.assertRaisesRegex(PermissionError, "so scope/key was not read"):
            self.dbutils.secrets.get("scope", "key")

    def test_can_be_asked_for_what_python_asks_of_any_object(self):
        with self.assertRaises(AttributeError) as caught:
            self.dbutils.fs.__nothing__  # noqa: B018
        self.assertEqual(str(caught.exception), "__nothing__")
        self.assertRaises((TypeError, AttributeError, pickle.PicklingError), pickle.dumps, self.machine)

    def test_restarts_python_without_losing_anything(self):
        self.machine.namespace["a"] = 1
        self.dbutils.library.restartPython()
        self.assertEqual(self.machine.namespace["a"], 1)


if __name__ == "__main__":
    unittest.main()
