"""Prints what this Python is and where its packages are, as one line of JSON after an @.

Nothing is imported to find out, since importing Spark or Jupyter takes seconds. It runs on any Python 3, so that
one that is too old can be told so.
"""

import importlib.util
import json
import os
import sys
import sysconfig


def version(name):
    try:
        from importlib import metadata

        return metadata.version(name)
    except Exception:
        return None


def place(name):
    try:
        spec = importlib.util.find_spec(name)
    except Exception:
        return None
    return list(spec.submodule_search_locations or [None])[0] if spec else None


def settings_of_environment():
    try:
        with open(os.path.join(sys.prefix, "pyvenv.cfg"), encoding="utf-8") as file:
            return {key.strip(): value.strip() for key, _, value in (line.partition("=") for line in file)}
    except OSError:
        return {}


def main():
    own = sys.prefix != sys.base_prefix
    settings = settings_of_environment()
    scheme = "nt" if os.name == "nt" else "venv" if "venv" in sysconfig.get_scheme_names() else "posix_prefix"
    return {
        "command": sys.executable,
        "baseCommand": getattr(sys, "_base_executable", None) or sys.executable,
        "packagesPath": sysconfig.get_path("purelib", scheme, vars={"base": ".", "platbase": "."}),
        "parentPackages": sysconfig.get_path("purelib") if own else None,
        "seesSystem": not own or settings.get("include-system-site-packages", "true").lower() == "true",
        "version": "%d.%d.%d" % sys.version_info[:3],
        "nbclient": version("nbclient") if place("nbclient") and place("ipykernel") else None,
        "sitePackages": [each for each in sys.path if os.path.basename(each) in ("site-packages", "dist-packages")],
        "pysparkHome": place("pyspark"),
        "pysparkVersion": version("pyspark"),
    }


if __name__ == "__main__":
    print("@" + json.dumps(main()))
