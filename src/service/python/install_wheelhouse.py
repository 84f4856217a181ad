"""Installs the wheels of a .wheelhouse.zip, which needs no index: python install_wheelhouse.py FILE."""

import glob
import os
import subprocess
import sys
import tempfile
import zipfile

PIP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run_pip.py")


def main(path):
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
        wheels = glob.glob(os.path.join(folder, "**", "*.whl"), recursive=True)
        if not wheels:
            return "There is no wheel in " + path
        options = ["--disable-pip-version-check", "--no-input", "--no-index", "--find-links", folder]
        return subprocess.call([sys.executable, PIP, "install"] + options + wheels)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
