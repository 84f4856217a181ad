/**
 * The Python program that runs notebooks, and that Jupyter kernels get their `dbutils` and `display` from. It is text
 * here, and not a file beside, so that the service stays one file; backticks and dollar braces must not be in it.
 * It is long because a Python without any package must be able to run it as it is.
 */
export const notebookScript = String.raw`"""Runs a notebook cell by cell and writes what each cell did to a file of JSON lines.

Started as: python millrace_notebook.py RUN_FOLDER, where RUN_FOLDER/request.json says what to run.
Standard library only, Python 3.8 or newer. The same file gives Jupyter kernels dbutils and display.
"""
import ast
import asyncio
import builtins
import io
import json
import linecache
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import traceback
import types
import warnings

import millrace_magics
import millrace_r
import millrace_runtime

LIMIT_EXIT_CODE = 86
# Of millrace_pip.py, which then names the remedy in its last line.
NO_PIP_EXIT_CODE = 87
RESULT_LIMIT_BYTES = 1024 * 1024
ROWS_SHOWN = 1000


class NotebookExit(BaseException):
    """Raised by dbutils.notebook.exit. Not an Exception, so that a notebook's own handlers let it pass."""
    __module__ = "builtins"


class NotebookError(Exception):
    """A notebook cannot be read, or holds something that is not carried out here."""
    # The module is ours, and its name would differ between the engines.
    __module__ = "builtins"


# ---------------------------------------------------------------- notebook files

def read_notebook(path):
    """The cells of a notebook file: dicts of kind, source, title and, for code, language."""
    with open(path, encoding="utf-8-sig", newline=None) as file:
        text = file.read()
    extension = os.path.splitext(path)[1].lower()
    if extension == ".ipynb":
        return read_ipynb(text, path)
    return read_source(text, *SOURCES.get(extension, SOURCES[".py"]))


# The language of a source notebook, and how its comments begin.
NOTEBOOK_EXTENSIONS = [".py", ".ipynb", ".sql", ".scala", ".r", ".R"]
SOURCES = {".py": ("python", "#"), ".sql": ("sql", "--"), ".scala": ("scala", "//"), ".r": ("r", "#")}


def read_ipynb(text, path):
    try:
        book = json.loads(text)
        raw = book["cells"] if "cells" in book else book["worksheets"][0]["cells"]
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise NotebookError("%s is not a Jupyter notebook: %s" % (path, error))
    about = book.get("metadata", {})
    language = about.get("application/vnd.databricks.v1+notebook", {}).get("language") or about.get("kernelspec", {}).get("language", "python")
    cells = []
    for each in raw:
        source = each.get("source", each.get("input", ""))
        if isinstance(source, list):
            source = "".join(source)
        if each.get("cell_type") == "markdown":
            cells.append({"kind": "markdown", "source": source, "title": ""})
        elif each.get("cell_type") == "code":
            cells.append(classify(source, "", language))
    return cells


def read_source(text, language, comment):
    lines = text.split("\n")
    first = next((line for line in lines if line.strip()), "")
    mark = re.escape(comment)
    if re.match(mark + r"\s*Databricks notebook source", first) or any(re.match(mark + r" COMMAND -{5,}\s*$", line) for line in lines):
        return read_commands(lines, language, comment)
    if language == "python" and any(re.match(r"#\s*%%", line) for line in lines):
        return read_percent(lines)
    return [classify(text, "", language)] if text.strip() else []


def read_commands(lines, language, comment):
    mark = re.escape(comment)
    cells = []
    block = []
    for line in lines + [comment + " COMMAND ----------"]:
        if not re.match(mark + r" COMMAND -{5,}\s*$", line):
            if not re.match(mark + r"\s*Databricks notebook source\s*$", line):
                block.append(line)
            continue
        title = ""
        kept = []
        for each in block:
            match = re.match(mark + r" DBTITLE \d+,(.*)$", each)
            if match:
                title = match.group(1).strip()
            else:
                kept.append(each)
        block = []
        marked = [each for each in kept if each.strip()]
        if marked and all(re.match(mark + r" MAGIC( |$)", each) for each in marked):
            kept = [each[len(comment) + 7:] for each in kept]
        source = "\n".join(kept).strip("\n")
        if source.strip():
            cells.append(classify(source, title, language))
    return cells


def read_percent(lines):
    cells = []
    heading = None
    block = []
    for line in lines + ["# %%"]:
        match = re.match(r"#\s*%%(.*)$", line)
        if not match:
            block.append(line)
            continue
        source = "\n".join(block).strip("\n")
        if source.strip():
            kind = re.search(r"\[(\w+)\]", heading or "")
            title = re.sub(r"\[\w+\]", "", heading or "").strip()
            if kind and kind.group(1) in ("markdown", "md"):
                cells.append({"kind": "markdown", "source": uncomment(source), "title": title})
            elif not (kind and kind.group(1) == "raw"):
                cells.append(classify(source, title))
        heading = match.group(1)
        block = []
    return cells


def uncomment(source):
    quoted = re.match(r'^\s*[rR]?("""|\'\'\')(.*)\1\s*$', source, re.S)
    if quoted:
        return quoted.group(2).strip("\n")
    return "\n".join(re.sub(r"^# ?", "", line) for line in source.split("\n"))


LANGUAGES = {"python": "code", "md": "markdown", "sh": "shell", "bash": "shell", "sql": "sql", "fs": "files", "run": "run", "r": "r"}


def classify(source, title, language="python"):
    """A cell's kind, by the magic that it begins with, else by the notebook's language."""
    language = {"ipython": "python", "python3": "python"}.get(language.lower(), language.lower())
    body = source.lstrip("\n")
    match = re.match(r"\s*%%?(\w+)\b[ \t]*(.*)$", body.split("\n", 1)[0])
    rest = body.split("\n", 1)[1] if "\n" in body else ""
    name = match.group(1).lower() if match else ""
    if name in ("scala", "java"):
        return {"kind": "unsupported", "language": name, "source": source, "title": title}
    kind = LANGUAGES.get(name)
    # %sh and %sql take the whole cell on a real workspace, while %sh in the middle of code does not.
    if kind == "run" and rest.strip():
        return {"kind": "code", "language": "python", "source": source, "title": title}
    if kind:
        text = match.group(2) if not rest else (match.group(2) + "\n" + rest if match.group(2) else rest)
        return cell_of(kind, name, source, text, title)
    if language in ("sql", "r"):
        return cell_of(language, language, source, source, title)
    if language != "python":
        return {"kind": "unsupported", "language": language, "source": source, "title": title}
    return {"kind": "code", "language": "python", "source": source, "title": title}


def cell_of(kind, language, source, text, title):
    if kind == "markdown":
        return {"kind": kind, "source": text, "title": title}
    if kind == "r" and millrace_r.find() is None:
        kind = "unsupported"
    # For whoever reads the notebook, a cell in R is code.
    return {"kind": "code" if kind == "r" else kind, "language": language, "source": source, "body": text, "title": title}


def to_python(cell, keep_unknown_magics=False):
    """The Python that carries a cell out."""
    kind = cell["kind"]
    if kind == "code" and cell["language"] == "r":
        return "__millrace__.r(%r)" % cell["body"]
    if kind == "code":
        return rewrite_magics(cell["source"], keep_unknown_magics)
    if kind == "unsupported":
        return "__millrace__.unsupported(%r)" % cell["language"]
    return "__millrace__.%s(%r)" % ({"shell": "shell", "sql": "sql", "files": "files", "run": "run_here"}[kind], cell["body"])


def rewrite_magics(source, keep_unknown):
    """Replaces the lines that are magics by calls, only where the cell is not Python as it stands."""
    if not re.search(r"^[^\S\n]*[%!]|=[^\S\n]*!", source, re.M):
        return source
    try:
        compile(source, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, True)
        return source
    except (SyntaxError, ValueError):
        pass
    whole = re.match(r"(\s*)%%(\w+)[ \t]*([^\n]*)\n?(.*)$", source, re.S)
    if whole and not keep_unknown and whole.group(2) != "python":
        space, name, line, body = whole.groups()
        return "__millrace__.magic('%%%%', %r, %r, %r, %d)" % (name, line, body, space.count("\n") + 1)
    lines = source.split("\n")
    for index, line in enumerate(lines):
        # A magic may go on in the next line; what follows keeps its line number.
        following = index + 1
        while re.match(r"\s*[%!].*\\$", line) and following < len(lines):
            line, lines[following] = line[:-1] + lines[following].lstrip(), ""
            following += 1
        lines[index] = rewrite_line(line, index + 1, keep_unknown)
    return "\n".join(lines)


def rewrite_line(line, number, keep_unknown):
    assigned = re.match(r"(\s*[A-Za-z_]\w*\s*=\s*)!(.*)$", line)
    if assigned and not keep_unknown:
        return "%s__millrace__.shell_lines(%r)" % assigned.groups()
    match = re.match(r"(\s*)(%%?|!)\s*(\w*)\s*(.*)$", line)
    if not match:
        return line
    indent, mark, name, rest = match.groups()
    if mark == "!":
        return "%s__millrace__.shell(%r, True)" % (indent, line.strip()[1:].strip())
    calls = {"pip": "pip", "sh": "shell", "sql": "sql", "run": "run_here"}
    if name in calls:
        return "%s__millrace__.%s(%r)" % (indent, calls[name], rest)
    if name == "python":
        return indent + (rest or "pass")
    if keep_unknown:
        return line
    if name in ("matplotlib", "autoreload", "load_ext", "reload_ext", "config"):
        return indent + "pass"
    return "%s__millrace__.magic(%r, %r, %r, '', %d)" % (indent, mark, name, rest, number)


# ---------------------------------------------------------------- what a cell did

class Events:
    """Appends events to a file, one JSON object a line; each line is one write, so that a reader sees whole lines."""

    def __init__(self, path):
        self.descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self.lock = threading.RLock()

    def write(self, event, **fields):
        fields["event"] = event
        data = json.dumps(fields).encode("ascii") + b"\n"
        with self.lock:
            while data:
                data = data[os.write(self.descriptor, data):]


def size_of(output):
    if output["type"] == "stream":
        return len(output["text"].encode("utf-8", "replace"))
    if output["type"] == "error":
        return sum(len(line.encode("utf-8", "replace")) for line in output["traceback"])
    return sum(len(value.encode("utf-8", "replace")) if isinstance(value, str) else len(json.dumps(value)) for value in output["data"].values())


class Recorder:
    """Where the outputs of the current cell go, with its size limit."""

    def __init__(self, events, limit_bytes, mirror=None):
        self.events = events
        self.limit_bytes = limit_bytes
        self.mirror = mirror or {}
        self.cell = -1
        self.used_bytes = 0
        self.owner = os.getpid()
        self.lock = threading.RLock()
        self.pending = []
        self.pending_name = None
        self.pending_size = 0

    def begin(self, index):
        self.flush()
        with self.lock:
            self.cell = index
            self.used_bytes = 0
        self.events.write("start", cell=index, at=now())

    def end(self, index, status):
        self.flush()
        self.events.write("end", cell=index, at=now(), status=status)

    def stream(self, name, text):
        if not text:
            return
        with self.lock:
            if self.pending_name != name:
                self.flush()
            self.pending_name = name
            self.pending.append(text)
            self.pending_size += len(text)
            if self.pending_size > 16384:
                self.flush()

    def flush(self):
        with self.lock:
            text = "".join(self.pending)
            name = self.pending_name
            self.pending = []
            self.pending_name = None
            self.pending_size = 0
            if text:
                target = self.mirror.get(name)
                if target is not None:
                    write_all(target, text.encode("utf-8", "replace"))
                self.put({"type": "stream", "name": name, "text": text})

    def output(self, output):
        with self.lock:
            self.flush()
            self.put(output)

    def put(self, output):
        size = size_of(output)
        room = self.limit_bytes - self.used_bytes
        self.used_bytes += size
        if size > room and output["type"] == "stream":
            kept = output["text"].encode("utf-8", "replace")[:room].decode("utf-8", "ignore")
            self.events.write("output", cell=self.cell, output=dict(output, text=kept))
        elif size <= room:
            self.events.write("output", cell=self.cell, output=output)
        if size > room:
            self.events.write("limit", cell=self.cell, at=now())
            # The rest of the run is cancelled: no handler of the notebook may go on.
            os._exit(LIMIT_EXIT_CODE)


def write_all(descriptor, data):
    try:
        while data:
            data = data[os.write(descriptor, data):]
    except OSError:
        pass


def now():
    return int(time.time() * 1000)


class CellStream(io.TextIOBase):
    """sys.stdout and sys.stderr while cells run."""

    def __init__(self, recorder, name, descriptor):
        self.recorder = recorder
        self.name = "<%s>" % name
        self.stream_name = name
        self.descriptor = descriptor
        self.buffer = CellBytes(self)

    encoding = "utf-8"
    errors = "replace"

    def writable(self):
        return True

    def isatty(self):
        return False

    def fileno(self):
        return self.descriptor

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError("write() argument must be str, not %s" % type(text).__name__)
        if os.getpid() != self.recorder.owner:
            # A forked child has neither the threads nor the locks; its output comes back through the pipe.
            write_all(self.descriptor, text.encode("utf-8", "replace"))
        else:
            self.recorder.stream(self.stream_name, text)
        return len(text)

    def flush(self):
        pass


class CellBytes(io.RawIOBase):
    def __init__(self, stream):
        self.stream = stream

    def writable(self):
        return True

    def write(self, data):
        self.stream.write(bytes(data).decode("utf-8", "replace"))
        return len(data)


class DescriptorCapture:
    """Takes what child processes write to descriptor 1 or 2 into the current cell."""

    def __init__(self, recorder, name, descriptor):
        self.recorder = recorder
        self.name = name
        self.descriptor = descriptor
        self.original = os.dup(descriptor)
        reading, writing = os.pipe()
        os.dup2(writing, descriptor, inheritable=True)
        os.close(writing)
        self.reading = reading
        self.marker = ("\0millrace %s %s\0" % (name, os.urandom(8).hex())).encode("ascii")
        self.seen = threading.Event()
        threading.Thread(target=self.pump, daemon=True).start()

    def pump(self):
        held = b""
        while True:
            data = os.read(self.reading, 65536)
            if not data:
                return
            held += data
            while self.marker in held:
                before, held = held.split(self.marker, 1)
                self.take(before)
                self.seen.set()
            # Only a tail that may begin the marker is held back.
            keep = next((n for n in range(min(len(held), len(self.marker) - 1), 0, -1) if self.marker.startswith(held[-n:])), 0)
            self.take(held[:len(held) - keep])
            held = held[len(held) - keep:]

    def take(self, data):
        if data:
            self.recorder.stream(self.name, data.decode("utf-8", "replace"))

    def drain(self):
        """Waits until what was written so far has been taken."""
        self.seen.clear()
        os.write(self.descriptor, self.marker)
        self.seen.wait(5)


def mime_bundle(value):
    """The forms that a value has, as Jupyter asks for them."""
    data = {}
    bundle = getattr(value, "_repr_mimebundle_", None)
    if callable(bundle) and not isinstance(value, type):
        try:
            made = bundle(include=None, exclude=None)
            data.update(made[0] if isinstance(made, tuple) else made)
        except Exception:
            pass
    for mime, method in (
        ("text/html", "_repr_html_"), ("text/markdown", "_repr_markdown_"), ("image/svg+xml", "_repr_svg_"),
        ("image/png", "_repr_png_"), ("image/jpeg", "_repr_jpeg_"), ("text/latex", "_repr_latex_"),
        ("application/json", "_repr_json_"),
    ):
        call = getattr(value, method, None)
        if mime in data or not callable(call) or isinstance(value, type):
            continue
        try:
            made = call()
        except Exception:
            continue
        if isinstance(made, tuple):
            made = made[0]
        if isinstance(made, bytes):
            import base64
            made = base64.b64encode(made).decode("ascii")
        if made is not None:
            data[mime] = made
    if is_figure(value) and "image/png" not in data:
        data["image/png"] = figure_png(value)
    if "text/plain" not in data:
        try:
            data["text/plain"] = repr(value)
        except Exception as error:
            data["text/plain"] = "<unprintable %s: %s>" % (type(value).__name__, error)
    return data


def is_figure(value):
    module = sys.modules.get("matplotlib.figure")
    return module is not None and isinstance(value, module.Figure)


def figure_png(figure):
    import base64
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", bbox_inches="tight")
    return base64.b64encode(buffer.getvalue()).decode("ascii")


def table_html(columns, rows):
    import html
    head = "".join("<th>%s</th>" % html.escape(str(name)) for name in columns)
    body = "".join("<tr>%s</tr>" % "".join("<td>%s</td>" % html.escape("null" if value is None else str(value)) for value in row) for row in rows)
    return "<table><thead><tr>%s</tr></thead><tbody>%s</tbody></table>" % (head, body)


def table_bundle(frame):
    """A Spark DataFrame's first rows."""
    rows = frame.limit(ROWS_SHOWN).collect()
    columns = list(frame.columns)
    plain = "\n".join("\t".join(str(value) for value in row) for row in [columns] + [list(row) for row in rows])
    return {"text/html": table_html(columns, rows), "text/plain": plain}


def user_traceback(kind, error, trace):
    """The traceback from the first frame of the notebook on."""
    step = trace
    while step is not None and not step.tb_frame.f_code.co_filename.startswith("<cell"):
        step = step.tb_next
    # SyntaxError of the cell itself has no frame of the notebook.
    shown = traceback.TracebackException(kind, error, step)
    each = shown
    while each is not None:
        # What happened inside of this program says nothing to the reader.
        each.stack[:] = [frame for frame in each.stack if os.path.basename(frame.filename) != "millrace_notebook.py"]
        each = each.__cause__ or each.__context__
    return "".join(shown.format()).rstrip("\n").split("\n")


# ---------------------------------------------------------------- dbutils

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


class Widgets(Namespace):
    def __init__(self, machine):
        Namespace.__init__(self, "widgets")
        self._machine = machine
        self._defaults = {}

    def _define(self, kind, name, default, choices, label):
        if kind != "text" and default not in choices and kind != "combobox":
            raise ValueError("The default %r of the widget %r is not one of its choices" % (default, name))
        self._defaults[name] = str(default)
        self._machine.events.write("widget", name=name, kind=kind, default=str(default), choices=list(choices), label=label or "", value=self.get(name))

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
        names = [folder] if os.path.isfile(folder) else [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
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
        raise PermissionError("The local service keeps no secrets, so %s/%s was not read. Read a file or a setting of your own instead." % (scope, key))


class Library(Namespace):
    def restartPython(self):
        """Packages that pip installed are found at once; there is nothing to restart."""
        import importlib
        importlib.invalidate_caches()


class TaskValues(Namespace):
    """Values of the run's one task. There is no other task whose values could be read."""

    def __init__(self, task_key):
        Namespace.__init__(self, "jobs.taskValues")
        self._task_key = task_key
        self._values = {}

    def set(self, key, value):
        json.dumps(value)
        self._values[key] = value

    def get(self, taskKey=None, key=None, default=None, debugValue=None):
        if taskKey in (None, self._task_key) and key in self._values:
            return self._values[key]
        found = default if default is not None else debugValue
        if found is None:
            where = "" if taskKey in (None, self._task_key) else " by the task %r, which is not part of this run" % taskKey
            raise ValueError("No task value %r is set%s, and there is neither default nor debugValue" % (key, where))
        return found


class Dbutils(Namespace):
    def __init__(self, machine):
        Namespace.__init__(self, "")
        self.widgets = Widgets(machine)
        self.notebook = NotebookTools(machine)
        self.fs = Files(machine)
        self.secrets = Secrets("secrets")
        self.library = Library("library")
        self.jobs = Namespace("jobs")
        self.jobs.taskValues = TaskValues(machine.request.get("taskKey"))


def spark_udf(*values, **options):
    from pyspark.sql.functions import udf
    return udf(*values, **options)


class LazySpark:
    """Stands for the Spark session until it is used, since starting one takes seconds."""

    def __init__(self, machine, member=None):
        self.__dict__["_machine"] = machine
        self.__dict__["_member"] = member

    def _real(self):
        session = self._machine.spark_session()
        return session if self._member is None else getattr(session, self._member)

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return getattr(self._real(), name)

    def __repr__(self):
        return "<Spark, not started yet>"


# ---------------------------------------------------------------- the machine

class Machine:
    """What the cells of one notebook share: parameters, namespace, magics."""

    def __init__(self, folder, request, events):
        self.folder = folder
        self.request = request
        self.events = events
        self.parameters = dict(request.get("parameters") or {})
        self.namespace = {}
        self.publish = None
        self.drain = lambda: None
        self.loop = None
        self.cell_name = ""
        self.r_session = None
        self.children = 0
        self.session = None
        self.base = os.path.dirname(request["path"])
        self.including = [os.path.realpath(request["path"])]
        self.dbutils = Dbutils(self)

    def fill(self, namespace):
        self.namespace = namespace
        namespace.update({name: self.runtime_name(name) for name in millrace_runtime.NAMES}, __millrace__=self)
        millrace_runtime.install(self)

    def runtime_name(self, name):
        """What a notebook has under a name, and databricks.sdk.runtime gives."""
        if name in ("spark", "sqlContext"):
            return self.session or LazySpark(self)
        if name == "sc":
            return LazySpark(self, "sparkContext") if self.session is None else self.session.sparkContext
        own = {
            "dbutils": self.dbutils, "display": self.display, "displayHTML": self.display_html, "getArgument": self.dbutils.widgets.getArgument,
            "sql": lambda *values, **options: self.spark_session().sql(*values, **options),
            "table": lambda name: self.spark_session().table(name),
            "udf": spark_udf,
        }
        if name not in own:
            raise AttributeError("databricks.sdk.runtime has no %r" % name)
        return own[name]

    # -- running code

    def execute(self, source, name):
        """Executes a cell's Python and shows the value of its last expression."""
        linecache.cache[name] = (len(source), None, (source + "\n").splitlines(True), name)
        self.cell_name = name
        tree = ast.parse(source, name, "exec")
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr) and not source.rstrip().endswith(";"):
            last = ast.Expression(tree.body.pop().value)
        self.evaluate_tree(tree, name, "exec")
        if last is not None:
            value = self.evaluate_tree(last, name, "eval")
            if value is not None:
                self.namespace["_"] = value
                self.show(value, True)

    def evaluate_tree(self, tree, name, mode):
        code = compile(tree, name, mode, ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, True)
        value = eval(code, self.namespace)
        if code.co_flags & 0x80 and asyncio.iscoroutine(value):
            if self.loop is None:
                self.loop = asyncio.new_event_loop()
                asyncio.set_event_loop(self.loop)
            return self.loop.run_until_complete(value)
        return value

    def show(self, value, is_result):
        if hasattr(value, "limit") and hasattr(value, "collect") and hasattr(value, "columns") and not is_result:
            return self.publish(table_bundle(value), False)
        bundle = mime_bundle(value)
        if is_figure(value):
            close_figure(value)
        self.publish(bundle, is_result)

    def show_figures(self):
        """Figures that were drawn and not shown appear at the end of their cell, as in Jupyter."""
        pyplot = sys.modules.get("matplotlib.pyplot")
        if pyplot is None:
            return
        for number in pyplot.get_fignums():
            self.show(pyplot.figure(number), False)
        pyplot.close("all")

    def display(self, *values, **_options):
        for value in values:
            if value is not None:
                self.show(value, False)

    def display_html(self, html):
        self.publish({"text/html": str(html), "text/plain": "<HTML>"}, False)

    # -- magics

    def magic(self, mark, name, line, body, line_number):
        return millrace_magics.run(self, mark, name, line, body, line_number)

    def r(self, source):
        if self.r_session is None:
            self.r_session = millrace_r.Session(self.folder)
        self.r_session.run(source)

    def shell_lines(self, script):
        """What a command prints, as a list of its lines, which is what a cell gets that assigns it."""
        script = millrace_magics.expand(script, self.namespace)
        done = subprocess.run(self.shell_command(script), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        return done.stdout.decode("utf-8", "replace").splitlines()

    def shell_command(self, script):
        return ["cmd", "/c", script] if os.name == "nt" else [shutil.which("bash") or "sh", "-c", script]

    def shell(self, script, is_expanded=False):
        sys.stdout.flush()
        if is_expanded:
            script = millrace_magics.expand(script, self.namespace)
        process = subprocess.Popen(self.shell_command(script), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        reader = io.TextIOWrapper(process.stdout, encoding="utf-8", errors="replace", newline="")
        while True:
            text = reader.readline()
            if not text:
                break
            sys.stdout.write(text)
        code = process.wait()
        if code != 0:
            raise RuntimeError("The shell command ended with code %d" % code)

    def pip(self, arguments):
        import importlib
        import shlex
        import site
        import sysconfig
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "millrace_pip.py")
        command = [sys.executable, program] + shlex.split(millrace_magics.expand(arguments, self.namespace))
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        line = ""
        for line in io.TextIOWrapper(process.stdout, encoding="utf-8", errors="replace"):
            sys.stdout.write(line)
        code = process.wait()
        if code != 0:
            raise RuntimeError(line.strip() if code == NO_PIP_EXIT_CODE else "pip %s failed" % arguments)
        importlib.invalidate_caches()
        # A package that is installed for editing is found by a .pth file.
        site.addsitedir(sysconfig.get_path("purelib"))
        millrace_runtime.forget_parents()

    def sql(self, text):
        for statement in [each for each in split_statements(text) if each.strip()]:
            frame = self.spark_session().sql(statement)
            if frame.columns:
                self.namespace["_sqldf"] = frame
                self.publish(table_bundle(frame), False)

    def files(self, line):
        import shlex
        words = shlex.split(line)
        if not words:
            raise NotebookError("%fs needs a command, such as: %fs ls dfs:/")
        value = getattr(self.dbutils.fs, words[0])(*words[1:])
        if words[0] == "ls":
            rows = [(each.path, each.name, each.size, each.modificationTime) for each in value]
            self.publish({"text/html": table_html(["path", "name", "size", "modificationTime"], rows), "text/plain": "\n".join(row[0] for row in rows)}, False)
        else:
            print(value)

    def run_here(self, line):
        """%run: the cells of another notebook in this one's namespace."""
        import shlex
        words = shlex.split(line.strip())
        if not words:
            raise NotebookError("%run needs the path of a notebook")
        for word in words[1:]:
            match = re.match(r"\$(\w+)=(.*)$", word, re.S)
            if match:
                self.parameters[match.group(1)] = match.group(2)
        path = self.find_notebook(words[0])
        if os.path.realpath(path) in self.including:
            raise NotebookError("%%run %s runs itself: %s" % (words[0], " > ".join(self.including)))
        base = self.base
        self.base = os.path.dirname(path)
        self.including.append(os.path.realpath(path))
        try:
            for number, cell in enumerate(read_notebook(path), 1):
                if cell["kind"] != "markdown":
                    self.execute(to_python(cell), "<cell %d of %s>" % (number, os.path.basename(path)))
        finally:
            self.base = base
            self.including.pop()

    def unsupported(self, language):
        remedy = "Run this notebook on a workspace, or take the cell out."
        if language == "r":
            remedy = "Install R, so that Rscript is on the PATH, or run this notebook on a workspace."
        raise NotebookError("Cells in %s are not run by the local service. %s" % (language, remedy))

    def unknown_magic(self, name):
        raise NotebookError("The magic %s is not known to the built-in notebook runner. With Jupyter (pip install nbclient ipykernel) IPython's magics work." % name)

    # -- other notebooks and files

    def find_notebook(self, path):
        if path.startswith("/Workspace/"):
            path = path[len("/Workspace"):]
        start = os.path.join(self.request["root"], path.lstrip("/")) if path.startswith("/") else os.path.join(self.base, path)
        for extension in [""] + NOTEBOOK_EXTENSIONS:
            candidate = start + extension
            if os.path.isfile(candidate):
                self.check_inside(candidate, self.request["root"], path)
                return os.path.normpath(candidate)
        raise FileNotFoundError("Notebook %s was not found: looked for %s(%s)" % (path, os.path.normpath(start), ", ".join(NOTEBOOK_EXTENSIONS)))

    def check_inside(self, path, folder, shown):
        folder = os.path.realpath(folder)
        if os.path.commonpath([os.path.realpath(path), folder]) != folder:
            raise PermissionError("The path %s leads out of %s" % (shown, folder))

    def place(self, path):
        match = re.match(r"(?i)(dfs|dbfs|objstore|s3|s3a|gs|file):(.*)$", path, re.S)
        scheme = match.group(1).lower() if match else "dfs"
        rest = (match.group(2) if match else path).lstrip("/")
        if scheme == "file":
            return os.path.abspath(rest if os.name == "nt" else "/" + rest)
        folder = os.path.join(self.request["dataFolder"], "dfs" if scheme in ("dfs", "dbfs") else "objstore")
        os.makedirs(folder, exist_ok=True)
        target = os.path.normpath(os.path.join(folder, rest))
        self.check_inside(target, folder, path)
        return target

    def run_apart(self, path, timeout_seconds, arguments):
        """dbutils.notebook.run: another notebook in a process of its own."""
        target = self.find_notebook(path)
        depth = self.request.get("depth", 0) + 1
        if depth > 20:
            raise NotebookError("dbutils.notebook.run is nested more than 20 deep")
        self.children += 1
        folder = os.path.join(self.folder, "children", str(self.children))
        os.makedirs(folder, exist_ok=True)
        request = dict(self.request, path=target, depth=depth, parameters={key: str(value) for key, value in arguments.items()})
        with open(os.path.join(folder, "request.json"), "w", encoding="utf-8") as file:
            json.dump(request, file)
        process = subprocess.Popen([sys.executable, os.path.abspath(__file__), folder], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout_seconds or None)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise TimeoutError("Notebook %s took longer than %s seconds and was ended" % (path, timeout_seconds))
        value, error = None, None
        with open(os.path.join(folder, "events.jsonl"), encoding="utf-8") as file:
            for line in file:
                event = json.loads(line)
                if event["event"] == "exit":
                    value = event["value"]
                elif event["event"] == "output" and event["output"]["type"] == "error":
                    error = "%s: %s" % (event["output"]["name"], event["output"]["message"])
                elif event["event"] == "limit":
                    error = "a cell's output is above the limit"
        if process.returncode != 0:
            raise RuntimeError("Notebook %s failed: %s" % (path, error or "it ended with code %s" % process.returncode))
        return value

    def spark_session(self):
        if self.session is None:
            try:
                from pyspark.sql import SparkSession
            except ImportError:
                raise NotebookError("Spark is not installed for this Python. Install it with: %s -m pip install pyspark (and Java 17)" % sys.executable)
            builder = SparkSession.builder.appName(self.request.get("name") or "notebook")
            for name, value in (self.request.get("sparkConf") or {}).items():
                builder = builder.config(name, value)
            if self.request.get("sparkMaster"):
                builder = builder.master(self.request["sparkMaster"])
            self.session = builder.config("spark.ui.enabled", "false").getOrCreate()
            for name in ("spark", "sqlContext", "sc"):
                if isinstance(self.namespace.get(name), LazySpark):
                    self.namespace[name] = self.runtime_name(name)
        return self.session

    def write_exit(self, value):
        data = value.encode("utf-8", "replace")
        truncated = len(data) > RESULT_LIMIT_BYTES
        self.events.write("exit", value=data[:RESULT_LIMIT_BYTES].decode("utf-8", "ignore"), truncated=truncated)


def close_figure(figure):
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close(figure)


def split_statements(text):
    """SQL cut at the semicolons that are in no string and no comment."""
    parts = re.split(r"""('(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.)*"|--[^\n]*|/\*.*?\*/|;)""", text, flags=re.S)
    statements = [""]
    for part in parts:
        if part == ";":
            statements.append("")
        elif not part.startswith("--") and not part.startswith("/*"):
            statements[-1] += part
    return statements


def load(folder):
    with open(os.path.join(folder, "request.json"), encoding="utf-8") as file:
        return json.load(file)


def announce(events, cells, engine):
    events.write("notebook", at=now(), engine=engine, cells=[
        {"kind": each["kind"], "source": each["source"], "title": each.get("title", ""), "language": each.get("language", "")} for each in cells])


def enter_folder(request):
    folder = os.path.dirname(request["path"])
    os.chdir(folder)
    for each in (request["root"], folder):
        if each not in sys.path:
            sys.path.insert(0, each)


# ---------------------------------------------------------------- the built-in runner

def main(folder):
    request = load(folder)
    events = Events(os.path.join(folder, "events.jsonl"))
    os.environ.setdefault("MPLBACKEND", "Agg")
    try:
        cells = read_notebook(request["path"])
    except (NotebookError, OSError, UnicodeDecodeError) as error:
        announce(events, [], "builtin")
        events.write("broken", message=str(error))
        return 1
    announce(events, cells, "builtin")

    # This file's own folder must not be where a notebook's imports are looked for.
    sys.path[:] = [each for each in sys.path if os.path.abspath(each or ".") != os.path.dirname(os.path.abspath(__file__))]
    recorder = Recorder(events, request["cellLimitBytes"])
    captures = [DescriptorCapture(recorder, "stdout", 1), DescriptorCapture(recorder, "stderr", 2)]
    recorder.mirror = {each.name: each.original for each in captures}
    sys.stdout = CellStream(recorder, "stdout", 1)
    sys.stderr = CellStream(recorder, "stderr", 2)
    threading.Thread(target=flush_regularly, args=(recorder,), daemon=True).start()

    machine = Machine(folder, request, events)
    module = types.ModuleType("__main__")
    module.__builtins__ = builtins
    sys.modules["__main__"] = module
    sys.argv = [request["path"]]
    enter_folder(request)
    machine.fill(module.__dict__)

    def publish(data, is_result):
        # What a child process wrote before comes before.
        for capture in captures:
            capture.drain()
        recorder.output({"type": "data", "data": data, "isResult": is_result})
    machine.publish = publish

    code = 0
    for index, cell in enumerate(cells):
        if cell["kind"] == "markdown":
            continue
        recorder.begin(index)
        status = "ok"
        try:
            machine.execute(to_python(cell), "<cell %d>" % (index + 1))
            machine.show_figures()
        except NotebookExit as end:
            status = "exit"
            value = str(end)
        except BaseException as error:
            status = "error"
            for capture in captures:
                capture.drain()
            recorder.output({
                "type": "error", "name": type(error).__name__, "message": safe_text(error),
                "traceback": user_traceback(type(error), error, error.__traceback__),
            })
        for capture in captures:
            capture.drain()
        recorder.end(index, status)
        if status == "exit":
            machine.write_exit(value)
        if status == "error":
            code = 1
        if status != "ok":
            break
    recorder.flush()
    events.write("done", at=now())
    close_down(machine)
    # A thread of the notebook may go on for ever; the run is over.
    os._exit(code)


def close_down(machine):
    """What an interpreter does at its end: exit functions, and files that were left open are written out."""
    import atexit
    import gc
    try:
        if machine.session is not None:
            machine.session.stop()
        atexit._run_exitfuncs()
        machine.namespace.clear()
        gc.collect()
    except BaseException:
        pass


def safe_text(error):
    try:
        return str(error)
    except Exception:
        return "<unprintable %s>" % type(error).__name__


def flush_regularly(recorder):
    while True:
        time.sleep(0.2)
        recorder.flush()


# ---------------------------------------------------------------- inside a Jupyter kernel

def enter_kernel(folder, positions):
    """Gives a kernel what the built-in runner gives: names, plain representations, the same tracebacks."""
    from IPython import get_ipython
    from IPython.display import publish_display_data
    shell = get_ipython()
    request = load(folder)
    machine = Machine(folder, request, Events(os.path.join(folder, "events.jsonl")))
    enter_folder(request)
    machine.fill(shell.user_ns)
    machine.publish = lambda data, is_result: publish_display_data(data)
    shell.display_formatter.formatters["text/plain"].pprint = False
    # A hint for people at a prompt.
    warnings.filterwarnings("ignore", message="To exit: use")

    def name_of(_raw, _transformed, number):
        return "<cell %s>" % (positions[number - 1] if 0 < number <= len(positions) else number)
    shell.compile.get_code_name = name_of

    def show_traceback(exc_tuple=None, *_args, **_options):
        kind, error, trace = exc_tuple or sys.exc_info()
        if kind is NotebookExit:
            machine.write_exit(str(error))
        shell._showtraceback(kind, error, user_traceback(kind, error, trace))
    shell.showtraceback = show_traceback
    shell.showsyntaxerror = lambda *_args, **_options: show_traceback()
    shell.showindentationerror = lambda *_args, **_options: show_traceback()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
`;
