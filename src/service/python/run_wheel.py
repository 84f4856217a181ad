"""Calls an entry point of a package: python run_wheel.py PACKAGE ENTRY_POINT ARGUMENT..."""

import importlib
import os
import sys
from importlib.metadata import PackageNotFoundError, distribution


def find(package, name):
    """The entry point of the package's metadata, or else the function of that name in the package."""
    try:
        for each in distribution(package).entry_points:
            if each.name == name:
                return each.load()
    except PackageNotFoundError:
        pass
    module = importlib.import_module(package.replace("-", "_"))
    if not hasattr(module, name):
        raise AttributeError("The package %s has neither an entry point nor a function %s" % (package, name))
    return getattr(module, name)


if __name__ == "__main__":
    own = os.path.dirname(os.path.realpath(__file__))
    sys.path[:] = [each for each in sys.path if os.path.realpath(each or ".") != own]
    package, name = sys.argv[1:3]
    sys.argv[:] = [name] + sys.argv[3:]
    find(package, name)()
