"""dbutils, as far as one machine can offer it; what it does not have is named in the error."""

import os
import shutil

from .errors import NotebookExit
from .task_values import Namespace, TaskValues


class Widgets(Namespace):
    def __init__(self, machine):
        Namespace.__init__(self, "widgets")
        self._machine = machine
        self._defaults = {}

    def _define(self, kind, name, default, choices, label):
        if kind != "text" and default not in choices and kind != "combobox":
            raise ValueError("The default %r of the widget %r is not one of its choices" % (default, name))
        self._defaults[name] = str(default)
        self._machine.events.write(
            "widget",
            name=name,
            kind=kind,
            default=str(default),
            choices=list(choices),
            label=label or "",
            value=self.get(name),
        )

    def text(self, name, defaultValue, label=None):
        self._define("text", name, defaultValue, [], label)

    def dropdown(self, name, defaultValue, choices, label=None):
        self._define("dropdown", name, defaultValue, choices, label)

    def combobox(self, name, defaultValue, choices, label=None):
        self._define("combobox", name, defaultValue, choices, label)

    def multiselect(self, name, defaultValue, choices, label=None):
        self._define("multiselect", name, defaultValue, choices, label)

    def get(self, name):
        if name in self._machine.parameters:
            return self._machine.parameters[name]
        if name in self._defaults:
            return self._defaults[name]
        raise ValueError("InputWidgetNotDefined: No input widget named %s is defined" % name)

    def getArgument(self, name, defaultValue=None):
        try:
            return self.get(name)
        except ValueError:
            if defaultValue is None:
                raise
            return defaultValue

    def getAll(self):
        return dict(self._defaults, **self._machine.parameters)

    def remove(self, name):
        self._defaults.pop(name, None)
        self._machine.parameters.pop(name, None)

    def removeAll(self):
        self._defaults.clear()
        self._machine.parameters.clear()


class NotebookTools(Namespace):
    def __init__(self, machine):
        Namespace.__init__(self, "notebook")
        self._machine = machine

    def exit(self, value=""):
        raise NotebookExit(str(value))

    def run(self, path, timeout_seconds=0, arguments=None):
        return self._machine.run_apart(path, timeout_seconds, dict(arguments or {}))


class FileInfo(tuple):
    def __new__(cls, path, name, size, modificationTime):
        return tuple.__new__(cls, (path, name, size, modificationTime))

    path = property(lambda self: self[0])
    name = property(lambda self: self[1])
    size = property(lambda self: self[2])
    modificationTime = property(lambda self: self[3])

    def isDir(self):
        return self.name.endswith("/")

    def isFile(self):
        return not self.isDir()

    def __repr__(self):
        return "FileInfo(path=%r, name=%r, size=%r, modificationTime=%r)" % tuple(self)


class Files(Namespace):
    """dbutils.fs on the folders that dfs:/, objstore:// and file:/ stand for."""

    def __init__(self, machine):
        Namespace.__init__(self, "fs")
        self._machine = machine

    def ls(self, path):
        folder = self._machine.place(path)
        names = (
            [folder] if os.path.isfile(folder) else [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
        )
        found = []
        for each in names:
            state = os.stat(each)
            name = os.path.basename(each) + ("/" if os.path.isdir(each) else "")
            shown = path if os.path.isfile(folder) else path.rstrip("/") + "/" + name
            found.append(FileInfo(shown, name, 0 if name.endswith("/") else state.st_size, int(state.st_mtime * 1000)))
        return found

    def head(self, path, maxBytes=65536):
        with open(self._machine.place(path), "rb") as file:
            return file.read(maxBytes).decode("utf-8", "replace")

    def put(self, path, contents, overwrite=False):
        target = self._machine.place(path)
        if os.path.exists(target) and not overwrite:
            raise FileExistsError("%s exists already; pass overwrite=True" % path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as file:
            file.write(contents)
        return True

    def mkdirs(self, path):
        os.makedirs(self._machine.place(path), exist_ok=True)
        return True

    def cp(self, source, target, recurse=False):
        start, end = self._machine.place(source), self._machine.place(target)
        if os.path.isdir(start):
            if not recurse:
                raise IsADirectoryError("%s is a folder; pass recurse=True" % source)
            shutil.copytree(start, end, dirs_exist_ok=True)
        else:
            os.makedirs(os.path.dirname(end), exist_ok=True)
            shutil.copy2(start, end)
        return True

    def mv(self, source, target, recurse=False):
        self.cp(source, target, recurse)
        return self.rm(source, recurse)

    def rm(self, path, recurse=False):
        target = self._machine.place(path)
        if not os.path.lexists(target):
            return False
        if os.path.isdir(target) and not os.path.islink(target):
            if recurse:
                shutil.rmtree(target)
            else:
                os.rmdir(target)
        else:
            os.remove(target)
        return True


class Secrets(Namespace):
    def get(self, scope, key):
        raise PermissionError(
            "The local service keeps no secrets, so %s/%s was not read. Read a file or a setting of your own instead."
            % (scope, key)
        )


class Library(Namespace):
    def restartPython(self):
        """Packages that pip installed are found at once; there is nothing to restart."""
        import importlib

        importlib.invalidate_caches()


class Dbutils(Namespace):
    def __init__(self, machine):
        Namespace.__init__(self, "")
        self.widgets = Widgets(machine)
        self.notebook = NotebookTools(machine)
        self.fs = Files(machine)
        self.secrets = Secrets("secrets")
        self.library = Library("library")
        self.jobs = Namespace("jobs")
        self.jobs.taskValues = TaskValues(
            machine.request.get("taskFolder") or machine.folder, machine.request.get("taskKey")
        )
