"""dbutils.jobs.taskValues: values that tasks of one run pass on to those after them.

task.json in the run's folder holds the name of the task and the values of those before it; what the task sets is
written to task_values.json. A run of one task has no task.json.
"""

import json
import os

from .runtime_modules import install

LIMIT_BYTES = 48 * 1024


def described(name):
    return "dbutils.%s is not offered by the local service" % name


class Namespace:
    """A part of dbutils; a name that it does not have is named in the error."""

    def __init__(self, name):
        self._name = name

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        raise AttributeError(described(self._name + "." + name if self._name else name))


class TaskValues(Namespace):
    def __init__(self, folder, task_key=None):
        Namespace.__init__(self, "jobs.taskValues")
        self._path = os.path.join(folder, "task_values.json")
        self._values = {}
        task = read(os.path.join(folder, "task.json"))
        self._before = None if task is None else task["values"]
        self._task_key = task_key if task is None else task["taskKey"]

    def set(self, key, value):
        try:
            text = json.dumps(value, allow_nan=False)
        except ValueError:
            raise ValueError("The task value %r cannot be JSON, which has no NaN and no Infinity" % key) from None
        if len(text) > LIMIT_BYTES:
            raise ValueError("The task value %r has more than 48 KiB of JSON" % key)
        self._values[key] = value
        if self._before is None:
            return
        # A notebook that this one runs sets values of the same task.
        whole = dict(read(self._path) or {}, **{key: value})
        with open(self._path + ".draft", "w", encoding="utf-8") as file:
            json.dump(whole, file, separators=(",", ":"))
        os.replace(self._path + ".draft", self._path)

    def get(self, taskKey=None, key=None, default=None, debugValue=None):
        if taskKey in (None, self._task_key) and key in self._values:
            return self._values[key]
        others = (self._before or {}).get(taskKey, {})
        if key in others:
            return others[key]
        # The value for debugging is for runs without other tasks.
        found = default if default is not None or self._before is not None else debugValue
        if found is None:
            raise ValueError("No task value %r is set%s" % (key, self._why(taskKey)))
        return found

    def _why(self, task_key):
        where = "" if task_key in (None, self._task_key) else " by the task %r" % task_key
        if self._before is not None:
            return where + ", and there is no default"
        return (where and where + ", which is not part of this run") + ", and there is neither default nor debugValue"


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except OSError:
        return None


class Program:
    """What databricks.sdk.runtime gives a Python file: dbutils with the values of tasks."""

    def __init__(self, folder):
        self.dbutils = Namespace("")
        self.dbutils.jobs = Namespace("jobs")
        self.dbutils.jobs.taskValues = TaskValues(folder)

    def runtime_name(self, name):
        if name != "dbutils":
            raise AttributeError("databricks.sdk.runtime has no %r in a Python file" % name)
        return self.dbutils


def give_program(folder):
    """Lets the Python file of a task among others import dbutils."""
    if os.path.exists(os.path.join(folder, "task.json")):
        install(Program(folder))
