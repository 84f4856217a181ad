"""A machine on a folder of its own, and what it said and showed."""

import contextlib
import io
import os
import shutil
import sys
import tempfile
import textwrap
import unittest

from millrace_runner.machine import Machine


class Events:
    """Keeps events instead of writing them."""

    def __init__(self):
        self.all = []

    def write(self, event, **fields):
        self.all.append(dict(fields, event=event))

    def named(self, event):
        return [each for each in self.all if each["event"] == event]


class FolderTest(unittest.TestCase):
    """A test with a workspace and a data folder."""

    def setUp(self):
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="millrace-python-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.root = os.path.join(self.folder, "root")
        os.mkdir(self.root)

    def write(self, path, text):
        target = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as file:
            file.write(textwrap.dedent(text).lstrip("\n"))
        return target


class MachineTest(FolderTest):
    """A test with a machine whose notebook is root/book.py."""

    def setUp(self):
        super().setUp()
        self.events = Events()
        self.shown = []
        self.machine = self.make_machine()

    def make_machine(self, **request):
        request = dict(
            {
                "path": os.path.join(self.root, "book.py"),
                "root": self.root,
                "dataFolder": os.path.join(self.folder, "data"),
            },
            **request,
        )
        machine = Machine(self.folder, request, self.events)
        machine.publish = lambda data, is_result: self.shown.append((data, is_result))
        # Not by fill(), which would change what this process imports.
        machine.namespace = {"dbutils": machine.dbutils, "display": machine.display, "__millrace__": machine}
        return machine

    def execute(self, source, name="<cell 1>"):
        """What a cell prints."""
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            self.machine.execute(source, name)
        return printed.getvalue()

    def plain(self):
        """The texts of what was shown."""
        return [data["text/plain"] for data, _ in self.shown]


def where_raised(action):
    """The file and the line in which an action raises its error."""
    try:
        action()
    except Exception as error:
        trace = error.__traceback__
        while trace.tb_next:
            trace = trace.tb_next
        return trace.tb_frame.f_code.co_filename, trace.tb_lineno
    raise AssertionError("nothing was raised")


def keep_modules(test):
    """Afterwards, what is imported and where from is as it was."""
    modules, paths, finders = dict(sys.modules), list(sys.path), list(sys.meta_path)

    def restore():
        sys.modules.clear()
        sys.modules.update(modules)
        sys.path[:] = paths
        sys.meta_path[:] = finders

    test.addCleanup(restore)
