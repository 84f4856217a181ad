"""The program that installs the wheels of a .wheelhouse.zip."""

import os
import subprocess
import sys
import tempfile
import unittest
import zipfile
from unittest import mock

import install_wheelhouse


class Wheelhouse(unittest.TestCase):
    def install(self, *names):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "all.wheelhouse.zip")
            with zipfile.ZipFile(path, "w") as archive:
                for name in names:
                    archive.writestr(name, name)
            calls = []

            def call(command):
                there = [os.path.isfile(each) for each in command if each.endswith(".whl")]
                calls.append((command, there))
                return 3

            with mock.patch.object(subprocess, "call", call):
                return install_wheelhouse.main(path), calls

    def test_hands_every_wheel_to_pip_wherever_it_lies_and_asks_no_index(self):
        code, [(command, there)] = self.install("a-1.whl", "deeper/b-1.whl", "deeper/still/c-1.whl", "readme.txt")
        self.assertEqual((code, there), (3, [True] * 3))
        self.assertEqual(command[0], sys.executable)
        self.assertEqual(os.path.basename(command[1]), "run_pip.py")
        self.assertEqual(
            command[2:7], ["install", "--disable-pip-version-check", "--no-input", "--no-index", "--find-links"]
        )
        folder = command[7]
        self.assertEqual(
            sorted(os.path.relpath(each, folder) for each in command[8:]),
            ["a-1.whl", os.path.join("deeper", "b-1.whl"), os.path.join("deeper", "still", "c-1.whl")],
        )
        self.assertFalse(os.path.exists(folder))

    def test_says_that_there_is_none(self):
        code, calls = self.install("readme.txt")
        self.assertRegex(code, "^There is no wheel in .*all.wheelhouse.zip$")
        self.assertEqual(calls, [])
