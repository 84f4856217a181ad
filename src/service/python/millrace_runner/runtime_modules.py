"""The modules by which notebooks and the files beside them import what a notebook has as names.

databricks.sdk.runtime is this service's own, whether databricks-sdk is installed or not: that of the SDK asks for
a workspace.
pyspark.dbutils, which only a real cluster's pyspark has, gives the same dbutils.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import sys

NAMES = ("dbutils", "display", "displayHTML", "getArgument", "sc", "spark", "sql", "sqlContext", "table", "udf")
OWN = ("databricks.sdk.runtime", "pyspark.dbutils")
PARENTS = ("databricks", "databricks.sdk")


class Own(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives the modules that are the service's own, before any other finder."""

    def __init__(self, machine):
        self.machine = machine

    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self) if name in OWN else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        machine = self.machine
        if module.__name__ == "pyspark.dbutils":
            # Called as DBUtils(spark); there is one for a notebook.
            module.DBUtils = lambda *_spark: machine.dbutils
            return
        module.__all__ = list(NAMES)
        # Asked for one by one, since the session is another object once it was started.
        module.__getattr__ = lambda name: machine.runtime_name(name)
        module.__dir__ = lambda: list(NAMES)


class Parents(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives the packages around databricks.sdk.runtime if nothing else does: asked after every other finder."""

    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name in PARENTS else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        def missing(name):
            if name.startswith("__"):
                raise AttributeError(name)
            raise ImportError(
                "databricks.sdk has no %s here: only databricks.sdk.runtime is part of the local service. "
                "Install the rest with: %%pip install databricks-sdk" % name
            )

        if module.__name__ == "databricks.sdk":
            module.__getattr__ = missing


def install(machine):
    sys.meta_path.insert(0, Own(machine))
    sys.meta_path.append(Parents())


def forget_parents():
    """After packages were installed: a real databricks-sdk takes the place of the stand-in."""
    for name in PARENTS + OWN:
        spec = getattr(sys.modules.get(name), "__spec__", None)
        if spec is not None and isinstance(spec.loader, (Parents, Own)):
            del sys.modules[name]
