"""Keeps this package apart from a notebook's modules: neither may be taken for the other."""

import os
import sys

PACKAGE = __name__.rpartition(".")[0]
# The folder of the programs, which the package lies in.
PROGRAMS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def hide():
    """From here on, a notebook that imports a module of any name gets its own.

    Nothing of the package may be imported afterwards.
    """
    folder = os.path.realpath(PROGRAMS)
    sys.path[:] = [each for each in sys.path if os.path.realpath(each or ".") != folder]
    for name in list(sys.modules):
        if name == PACKAGE or name.startswith(PACKAGE + "."):
            del sys.modules[name]
