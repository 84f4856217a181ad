"""Runs pip in the environment of this Python: python run_pip.py ARGUMENTS.

Systems such as Debian and Ubuntu package pip and ensurepip apart. Where there is no pip, one is taken from what is on
the machine (ensurepip, wheels of the system or of virtualenv, uv, virtualenv) or from the package index. Standard library only, Python 3.8 or newer.
"""

import configparser
import glob
import hashlib
import html
import importlib.util
import os
import re
import shutil
import ssl
import subprocess
import sys
import sysconfig
import tempfile
import urllib.parse
import urllib.request

NO_PIP_EXIT_CODE = 87


def has(module):
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def call(*command):
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )


def must(result):
    if result.returncode != 0:
        raise RuntimeError((result.stdout.strip().splitlines() or ["it ended with code %d" % result.returncode])[-1])


def from_ensurepip():
    if not has("ensurepip"):
        raise RuntimeError("there is none")
    must(call(sys.executable, "-Im", "ensurepip", "--default-pip"))


def install_wheel(wheel):
    """A wheel of pip can install itself."""
    options = ("--no-index", "--no-deps", "--ignore-installed", "--no-compile", "--disable-pip-version-check")
    must(call(sys.executable, os.path.join(wheel, "pip"), "install", *options, wheel))


def from_wheels():
    folders = [sysconfig.get_config_var("WHEEL_PKG_DIR"), "/usr/share/python-wheels"]
    if has("virtualenv"):
        folders += [
            os.path.join(each, "seed", "wheels", "embed")
            for each in importlib.util.find_spec("virtualenv").submodule_search_locations
        ]
    wheels = [wheel for folder in folders if folder for wheel in glob.glob(os.path.join(folder, "pip-*.whl"))]
    wheels.sort(key=lambda wheel: version_of(os.path.basename(wheel)) or (), reverse=True)
    if not wheels:
        raise RuntimeError("there are none")
    for wheel in wheels:
        try:
            return install_wheel(wheel)
        except RuntimeError as error:
            reason = error
    raise reason


def from_uv():
    uv = shutil.which("uv")
    if uv is None:
        raise RuntimeError("there is none")
    must(call(uv, "pip", "install", "--python", sys.executable, "pip"))


def from_virtualenv():
    virtualenv = shutil.which("virtualenv")
    if virtualenv is None:
        raise RuntimeError("there is none")
    with tempfile.TemporaryDirectory() as folder:
        must(call(virtualenv, "--python", sys.executable, "--copies", folder))
        made = [
            each
            for each in glob.glob(os.path.join(folder, "**", "site-packages", "pip*"), recursive=True)
            if os.path.isdir(each)
        ]
        if not made:
            raise RuntimeError("it made no pip")
        for each in made:
            shutil.copytree(
                each, os.path.join(sysconfig.get_path("purelib"), os.path.basename(each)), dirs_exist_ok=True
            )


def index_url():
    """Where pip would look: its variable, its configuration files, else PyPI."""
    if os.environ.get("PIP_INDEX_URL"):
        return os.environ["PIP_INDEX_URL"]
    home = os.path.expanduser("~")
    for path in (
        os.environ.get("PIP_CONFIG_FILE"),
        home + "/.config/pip/pip.conf",
        home + "/.pip/pip.conf",
        "/etc/pip.conf",
        "/etc/xdg/pip/pip.conf",
    ):
        parser = configparser.RawConfigParser()
        try:
            parser.read([path or ""], encoding="utf-8")
        except (configparser.Error, UnicodeDecodeError):
            continue
        for section in ("install", "global"):
            if parser.has_option(section, "index-url"):
                return parser.get(section, "index-url")
    return "https://pypi.org/simple"


def version_of(name):
    match = re.match(r"pip-(\d+(?:\.\d+)*)-py", name)
    return tuple(int(each) for each in match.group(1).split(".")) if match else None


def suits(required):
    """Whether this Python is new enough for what the index says that a release needs."""
    return all(
        sys.version_info[:2] >= (int(major), int(minor)) for major, minor in re.findall(r">=\s*(\d+)\.(\d+)", required)
    )


def from_index():
    authority = next(
        (os.environ[name] for name in ("PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE") if os.environ.get(name)), None
    )
    context = ssl.create_default_context(cafile=authority)

    def get(url):
        with urllib.request.urlopen(url, timeout=30, context=context) as response:
            return response.read(), response.geturl()

    page, base = get(index_url().rstrip("/") + "/pip/")
    found = []
    for anchor in re.findall(r"<a\s[^<>]*>", page.decode("utf-8", "replace")):
        attributes = {name: html.unescape(value) for name, value in re.findall(r'([\w-]+)="([^"]*)"', anchor)}
        url = urllib.parse.urljoin(base, attributes.get("href", ""))
        version = version_of(os.path.basename(urllib.parse.urlsplit(url).path))
        if (
            version is not None
            and suits(attributes.get("data-requires-python", ""))
            and "data-yanked" not in attributes
        ):
            found.append((version, url))
    if not found:
        raise RuntimeError("%s has none for this Python" % base)
    url, _, digest = max(found)[1].partition("#sha256=")
    data, _ = get(url)
    if digest and hashlib.sha256(data).hexdigest() != digest:
        raise RuntimeError("what %s gave is not what the index promises" % url)
    with tempfile.TemporaryDirectory() as folder:
        wheel = os.path.join(folder, os.path.basename(urllib.parse.urlsplit(url).path))
        with open(wheel, "wb") as file:
            file.write(data)
        install_wheel(wheel)


def remedy():
    if shutil.which("apt-get"):
        return "Run: %sapt-get install python3-venv" % ("" if hasattr(os, "geteuid") and os.geteuid() == 0 else "sudo ")
    return "Install pip for this Python from your system's packages, or uv"


def seed():
    tried = []
    for name, get in (
        ("ensurepip", from_ensurepip),
        ("wheels of the system", from_wheels),
        ("uv", from_uv),
        ("virtualenv", from_virtualenv),
        ("the package index", from_index),
    ):
        try:
            get()
            return
        except Exception as error:
            tried.append("%s: %s" % (name, error))
    print("\n".join(tried), file=sys.stderr)
    print("There is no pip for %s, and none could be had. %s" % (sys.executable, remedy()), file=sys.stderr)
    sys.exit(NO_PIP_EXIT_CODE)


def main(arguments):
    if not has("pip"):
        seed()
    return subprocess.call([sys.executable, "-m", "pip"] + arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
