"""How a pip is had where there is none: where it would be looked for, and which release suits."""

import hashlib
import io
import os
import subprocess
import sys
import sysconfig
import tempfile
import types
import unittest
from unittest import mock

import run_pip

from support import FolderTest


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


class FromIndex(unittest.TestCase):
    """What is taken from a package index, whose page and files are given here."""

    def test_is_asked_under_the_authority_that_pip_would_take(self):
        names = ("PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")
        for given, expected in (
            (names, "of PIP_CERT"),
            (names[1:], "of SSL_CERT_FILE"),
            (names[2:], "of REQUESTS_CA_BUNDLE"),
            ((), None),
        ):
            variables = dict(dict.fromkeys(names, ""), **{name: "of " + name for name in given})
            with self.subTest(given), mock.patch.dict(os.environ, variables):
                with mock.patch("ssl.create_default_context") as context:
                    self.install(['href="pip-24.0-py3-none-any.whl"'])
                context.assert_called_once_with(cafile=expected)

    def install(self, anchors, data=b"wheel"):
        """The wheel that is installed, as its name and what is in it, and the addresses that are asked."""
        installed, asked = [], []
        page = "<html>%s</html>" % "".join("<a %s>pip</a>" % each for each in anchors)

        def urlopen(url, timeout, context):
            asked.append(url)
            answer = mock.MagicMock()
            answer.__enter__.return_value = answer
            answer.read.return_value = page.encode() if len(asked) == 1 else data
            answer.geturl.return_value = "https://index.example/moved/pip/"
            return answer

        def install_wheel(wheel):
            with open(wheel, "rb") as file:
                installed.append((os.path.basename(wheel), file.read()))

        with mock.patch("urllib.request.urlopen", urlopen), mock.patch.object(run_pip, "install_wheel", install_wheel):
            with mock.patch.object(run_pip, "index_url", lambda: "https://index.example/simple/"):
                run_pip.from_index()
        return installed, asked

    def test_is_the_newest_that_suits_and_was_not_withdrawn(self):
        name = "pip-%s-py3-none-any.whl"
        anchors = ['data-dist-info-metadata="x" href="../../f/%s"' % (name % each) for each in ("9.0", "24.1", "24.0")]
        anchors.append('href="%s" data-yanked=""' % (name % "99.0"))
        anchors.append('href="%s" data-requires-python="&gt;=%d.99"' % (name % "98.0", sys.version_info[0]))
        anchors.append('href="pip-97.0.tar.gz"')
        installed, asked = self.install(anchors)
        self.assertEqual(installed, [(name % "24.1", b"wheel")])
        self.assertEqual(asked, ["https://index.example/simple/pip/", "https://index.example/f/" + name % "24.1"])

    def test_is_what_the_index_promises(self):
        digest = "f0cb8a8a6c0e8ebd7fe3d7bc2bd75d9dfd4a4bf4e8aabcc2d6ae6f0a3bd0d3f4"
        href = 'href="pip-24.0-py3-none-any.whl#sha256=%s"'
        with self.assertRaisesRegex(RuntimeError, "^what https://.*whl gave is not what the index promises$"):
            self.install([href % digest])
        own = hashlib.sha256(b"wheel").hexdigest()
        self.assertEqual(len(self.install([href % own])[0]), 1)

    def test_is_missed_by_name(self):
        with self.assertRaisesRegex(RuntimeError, "^https://index.example/moved/pip/ has none for this Python$"):
            self.install([])


class Seeding(unittest.TestCase):
    ways = ("from_ensurepip", "from_wheels", "from_uv", "from_virtualenv", "from_index")

    def seed(self, works=None):
        tried = []

        def way(name):
            def do():
                tried.append(name)
                if name != works:
                    raise RuntimeError("not " + name)

            return do

        with mock.patch.multiple(run_pip, **{name: way(name) for name in self.ways}):
            with mock.patch("sys.stderr", io.StringIO()) as said:
                try:
                    run_pip.seed()
                    code = None
                except SystemExit as end:
                    code = end.code
        return tried, code, said.getvalue()

    def test_ends_with_the_first_way_that_works(self):
        for count, name in enumerate(self.ways, 1):
            self.assertEqual(self.seed(name), (list(self.ways[:count]), None, ""))

    def test_says_what_was_tried_and_at_last_what_to_do(self):
        with mock.patch.object(run_pip, "remedy", lambda: "Do this"):
            tried, code, said = self.seed()
        self.assertEqual((tried, code), (list(self.ways), run_pip.NO_PIP_EXIT_CODE))
        lines = said.splitlines()
        self.assertEqual(lines[0], "ensurepip: not from_ensurepip")
        self.assertEqual(lines[-1], "There is no pip for %s, and none could be had. Do this" % sys.executable)

    def test_says_what_helps_on_this_system(self):
        for tool, user, expected in (
            ("/apt-get", 0, "Run: apt-get install python3-venv"),
            ("/apt-get", 7, "Run: sudo apt-get install python3-venv"),
            (None, 0, "Install pip for this Python from your system's packages, or uv"),
        ):
            with mock.patch("shutil.which", return_value=tool), mock.patch(
                "os.geteuid", create=True, return_value=user
            ):
                self.assertEqual(run_pip.remedy(), expected)

    def test_is_done_only_where_there_is_no_pip(self):
        for there in (True, False):
            with mock.patch.multiple(run_pip, has=mock.Mock(return_value=there), seed=mock.DEFAULT) as parts:
                with mock.patch("subprocess.call", return_value=5) as call:
                    self.assertEqual(run_pip.main(["install", "a b"]), 5)
            self.assertEqual(call.call_args[0][0], [sys.executable, "-m", "pip", "install", "a b"])
            self.assertEqual(parts["seed"].call_count, 0 if there else 1)

    def test_tells_the_last_line_of_what_failed(self):
        with self.assertRaisesRegex(RuntimeError, "^two$"):
            run_pip.must(mock.Mock(returncode=1, stdout="one\ntwo\n\n"))
        with self.assertRaisesRegex(RuntimeError, "^it ended with code 4$"):
            run_pip.must(mock.Mock(returncode=4, stdout=" \n"))
        run_pip.must(mock.Mock(returncode=0, stdout="x"))


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
