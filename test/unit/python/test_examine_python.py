"""What a Python says of itself."""

import json
import os
import subprocess
import sys
import sysconfig
import unittest
from unittest import mock

import examine_python

from support import FolderTest


class Examination(FolderTest):
    def test_is_one_line_of_json_after_an_at_sign(self):
        done = subprocess.run([sys.executable, examine_python.__file__], stdout=subprocess.PIPE, timeout=60)
        line = done.stdout.decode("utf-8")
        self.assertRegex(line, r"\A@\{.*\}\n\Z")
        answer = json.loads(line[1:])
        self.assertEqual((answer["command"], answer["version"]), (sys.executable, "%d.%d.%d" % sys.version_info[:3]))

    def test_tells_where_packages_are_and_are_put(self):
        with mock.patch.object(sys, "path", ["/a/site-packages", "/b/dist-packages", "/c/lib", "/d/site-packages/x"]):
            answer = examine_python.main()
        self.assertEqual(answer["sitePackages"], ["/a/site-packages", "/b/dist-packages"])
        self.assertFalse(os.path.isabs(answer["packagesPath"]))
        self.assertTrue(answer["packagesPath"].endswith("site-packages"))
        if os.name != "nt":
            self.assertRegex(answer["packagesPath"], r"\A(?:\./)?lib/python3\.\d+/site-packages\Z")
        self.assertTrue(os.path.exists(answer["baseCommand"]))

    def examine(self, prefix, settings=None):
        if settings is not None:
            with open(os.path.join(self.root, "pyvenv.cfg"), "w", encoding="utf-8") as file:
                file.write(settings)
        with mock.patch.multiple(sys, prefix=prefix, base_prefix="/base"):
            answer = examine_python.main()
        return answer["parentPackages"], answer["seesSystem"]

    def test_tells_a_virtual_environment_by_its_own_folder_and_settings(self):
        own = sysconfig.get_path("purelib")
        self.assertEqual(self.examine("/base"), (None, True))
        self.assertEqual(self.examine(self.root), (own, True))
        for text, sees in (
            ("home = /x\ninclude-system-site-packages = False\n", False),
            ("include-system-site-packages = TRUE\n", True),
            ("home = /x\n", True),
        ):
            with self.subTest(text):
                self.assertEqual(self.examine(self.root, text), (own, sees))
        self.assertEqual(self.examine("/base", "include-system-site-packages = false\n"), (None, True))

    def test_finds_packages_without_importing_them(self):
        for name in ("one/__init__.py", "two.py"):
            self.write(name, "raise RuntimeError('it was imported')\n")
        with mock.patch.object(sys, "path", [self.root]):
            self.assertEqual(
                [examine_python.place(name) for name in ("one", "two", "none", "none.deeper")],
                [os.path.join(self.root, "one"), None, None, None],
            )
        self.assertIsNone(examine_python.version("no-such-package-of-anybody"))

    def test_tells_the_version_of_a_package_from_what_stands_beside_it(self):
        self.write("some_package-1.2.dist-info/METADATA", "Metadata-Version: 2.1\nName: some-package\nVersion: 1.2\n")
        with mock.patch.object(sys, "path", [self.root]):
            self.assertEqual(examine_python.version("some-package"), "1.2")

    def test_has_jupyter_only_where_both_of_its_parts_are(self):
        for there, expected in (({"nbclient", "ipykernel"}, "1.2"), ({"nbclient"}, None), ({"ipykernel"}, None)):
            with self.subTest(there), mock.patch.multiple(
                examine_python, place=dict.fromkeys(there, "/x").get, version=lambda name: "1.2"
            ):
                self.assertEqual(examine_python.main()["nbclient"], expected)


if __name__ == "__main__":
    unittest.main()
