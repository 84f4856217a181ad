"""The ways by which a pip is had from what is on the machine."""

import os
import subprocess
import sys
import sysconfig
import types
import unittest
from unittest import mock

import run_pip

from support import FolderTest


class Ways(FolderTest):
    def setUp(self):
        super().setUp()
        self.called, self.codes = [], []

        def run(command, **options):
            self.called.append(list(command))
            self.assertEqual((options["stdin"], options["stderr"]), (subprocess.DEVNULL, subprocess.STDOUT))
            code = self.codes.pop(0) if self.codes else 0
            return types.SimpleNamespace(returncode=code, stdout="first\nwords of %s\n" % command[-1])

        patch = mock.patch("subprocess.run", run)
        patch.start()
        self.addCleanup(patch.stop)

    def there(self, *names):
        return mock.patch.object(run_pip, "has", lambda name: name in names)

    def tool(self, path):
        return mock.patch("shutil.which", lambda name: path)

    def test_are_that_of_python_itself(self):
        with self.there("ensurepip"):
            run_pip.from_ensurepip()
        self.assertEqual(self.called, [[sys.executable, "-Im", "ensurepip", "--default-pip"]])
        self.codes = [1]
        with self.there("ensurepip"), self.assertRaisesRegex(RuntimeError, "^words of --default-pip$"):
            run_pip.from_ensurepip()
        with self.there(), self.assertRaisesRegex(RuntimeError, "^there is none$"):
            run_pip.from_ensurepip()

    def wheels(self, *names):
        self.paths = {name: self.write(os.path.join("wheels", name), "") for name in names}
        with self.there(), mock.patch.object(
            sysconfig, "get_config_var", lambda name: os.path.join(self.root, "wheels")
        ), mock.patch("glob.glob", self.found):
            run_pip.from_wheels()

    def found(self, pattern):
        # Nothing of this machine's own.
        return [path for path in self.paths.values() if os.path.dirname(path) == os.path.dirname(pattern)]

    def test_are_wheels_the_newest_first(self):
        names = ["pip-9.0-py3-none-any.whl", "pip-24.1-py3-none-any.whl", "pip-24.0-py3-none-any.whl"]
        self.wheels(*names)
        newest = self.paths[names[1]]
        self.assertEqual(
            self.called,
            [
                [
                    *(sys.executable, os.path.join(newest, "pip"), "install", "--no-index", "--no-deps"),
                    *("--ignore-installed", "--no-compile", "--disable-pip-version-check", newest),
                ]
            ],
        )
        self.called, self.codes = [], [1, 0]
        self.wheels(*names)
        self.assertEqual([os.path.basename(each[-1]) for each in self.called], [names[1], names[2]])
        self.codes = [1, 1, 1]
        with self.assertRaisesRegex(RuntimeError, "words of .*pip-9"):
            self.wheels(*names)
        with self.assertRaisesRegex(RuntimeError, "^there are none$"):
            self.wheels()

    def test_are_uv_for_this_very_python(self):
        with self.tool("/bin/uv"):
            run_pip.from_uv()
        self.assertEqual(self.called, [["/bin/uv", "pip", "install", "--python", sys.executable, "pip"]])
        with self.tool(None), self.assertRaisesRegex(RuntimeError, "^there is none$"):
            run_pip.from_uv()

    def test_are_what_virtualenv_puts_into_an_environment(self):
        def make(command, **_options):
            for name in ("pip/__init__.py", "pip-24.dist-info/METADATA", "pip.txt", "other/x.py"):
                path = os.path.join(command[-1], "lib", "site-packages", *name.split("/"))
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8"):
                    pass
            self.called.append(list(command))
            return types.SimpleNamespace(returncode=0, stdout="")

        own = os.path.join(self.root, "own")
        with self.tool("/bin/virtualenv"), mock.patch.object(sysconfig, "get_path", lambda name: own):
            with mock.patch("subprocess.run", make):
                run_pip.from_virtualenv()
            self.assertEqual(self.called[0][:-1], ["/bin/virtualenv", "--python", sys.executable, "--copies"])
            self.assertEqual(sorted(os.listdir(own)), ["pip", "pip-24.dist-info"])
            self.assertEqual(os.listdir(os.path.join(own, "pip")), ["__init__.py"])
            with self.assertRaisesRegex(RuntimeError, "^it made no pip$"):
                run_pip.from_virtualenv()
        with self.tool(None), self.assertRaisesRegex(RuntimeError, "^there is none$"):
            run_pip.from_virtualenv()

    def test_know_what_can_be_imported(self):
        self.assertEqual(
            [run_pip.has(name) for name in ("json", "no_such_module_of_anybody", "json.none.deep")],
            [True, False, False],
        )


if __name__ == "__main__":
    unittest.main()
