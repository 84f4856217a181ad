"""How a pip is had where there is none: where it would be looked for, and which release suits."""

import os
import sys
import tempfile
import unittest
from unittest import mock

import run_pip


class Index(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = folder.name
        environment = mock.patch.dict(os.environ, {"HOME": self.home, "USERPROFILE": self.home})
        environment.start()
        self.addCleanup(environment.stop)
        for name in ("PIP_INDEX_URL", "PIP_CONFIG_FILE"):
            os.environ.pop(name, None)

    def write(self, name, text):
        path = os.path.join(self.home, *name.split("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def test_is_that_of_the_variable_else_of_the_first_file_that_names_one(self):
        self.write(".pip/pip.conf", "[global]\nindex-url = https://old.example\n")
        self.assertEqual(run_pip.index_url(), "https://old.example")
        self.write(".config/pip/pip.conf", "[global]\nindex-url = https://new.example\n")
        self.assertEqual(run_pip.index_url(), "https://new.example")
        os.environ["PIP_CONFIG_FILE"] = self.write("own.conf", "[global]\nindex-url = https://own.example\n")
        self.assertEqual(run_pip.index_url(), "https://own.example")
        os.environ["PIP_INDEX_URL"] = "https://variable.example"
        self.assertEqual(run_pip.index_url(), "https://variable.example")

    def test_is_what_a_file_says_of_installing_before_what_it_says_of_all(self):
        os.environ["PIP_CONFIG_FILE"] = self.write(
            "own.conf", "[global]\nindex-url = https://all.example\n[install]\nindex-url = https://install.example\n"
        )
        self.assertEqual(run_pip.index_url(), "https://install.example")

    def test_passes_over_what_is_no_configuration(self):
        os.environ["PIP_CONFIG_FILE"] = self.write("own.conf", "index-url = outside of any section\n")
        self.write(".config/pip/pip.conf", "[install]\nindex-url = https://new.example\n")
        self.assertEqual(run_pip.index_url(), "https://new.example")


class Release(unittest.TestCase):
    def test_is_told_by_its_name(self):
        self.assertEqual(
            [run_pip.version_of(name) for name in ("pip-24.0-py3-none-any.whl", "pip-9.0.1-py2.py3-none-any.whl", "x")],
            [(24, 0), (9, 0, 1), None],
        )

    def test_suits_from_the_python_on_that_it_needs(self):
        own = "%d.%d" % sys.version_info[:2]
        later = "%d.%d" % (sys.version_info[0], sys.version_info[1] + 1)
        self.assertEqual(
            [run_pip.suits(needed) for needed in ("", ">=3.6", ">=" + own, ">= " + later, ">=3.6, >=" + later)],
            [True, True, True, False, False],
        )
