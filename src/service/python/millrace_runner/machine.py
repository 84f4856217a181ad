"""What the cells of one notebook share."""

import ast
import asyncio
import inspect
import io
import json
import linecache
import os
import re
import shutil
import subprocess
import sys

from . import magics, r_session, runtime_modules
from .cells import to_python, to_run
from .dbutils import Dbutils
from .debugger import NotebookDebugger
from .display import close_figure, is_figure, mime_bundle, table_bundle, table_html
from .errors import NotebookError
from .files import NOTEBOOK_EXTENSIONS, read_notebook
from .own_modules import PROGRAMS
from .spark import LazySpark, spark_udf, split_statements

# Of run_pip.py, which then names the remedy in its last line.
NO_PIP_EXIT_CODE = 87
RESULT_LIMIT_BYTES = 1024 * 1024


class Machine:
    """What the cells of one notebook share: parameters, namespace, magics."""

    def __init__(self, folder, request, events, debugger=None):
        self.folder = folder
        self.request = request
        self.events = events
        self.debugger = debugger or NotebookDebugger()
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
        namespace.update({name: self.runtime_name(name) for name in runtime_modules.NAMES}, __millrace__=self)
        runtime_modules.install(self)

    def runtime_name(self, name):
        """What a notebook has under a name, and databricks.sdk.runtime gives."""
        if name in ("spark", "sqlContext"):
            return self.session or LazySpark(self)
        if name == "sc":
            return LazySpark(self, "sparkContext") if self.session is None else self.session.sparkContext
        own = {
            "dbutils": self.dbutils,
            "display": self.display,
            "displayHTML": self.display_html,
            "getArgument": self.dbutils.widgets.getArgument,
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
        if code.co_flags & inspect.CO_COROUTINE and asyncio.iscoroutine(value):
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
        return magics.run(self, mark, name, line, body, line_number)

    def r(self, source):
        if self.r_session is None:
            self.r_session = r_session.Session(self.folder)
        self.r_session.run(source)

    def shell_lines(self, script):
        """What a command prints, as a list of its lines, which is what a cell gets that assigns it."""
        script = magics.expand(script, self.namespace)
        done = subprocess.run(
            self.shell_command(script), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL
        )
        return done.stdout.decode("utf-8", "replace").splitlines()

    def shell_command(self, script):
        return ["cmd", "/c", script] if os.name == "nt" else [shutil.which("bash") or "sh", "-c", script]

    def shell(self, script, is_expanded=False):
        sys.stdout.flush()
        if is_expanded:
            script = magics.expand(script, self.namespace)
        process = subprocess.Popen(
            self.shell_command(script), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL
        )
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

        program = os.path.join(PROGRAMS, "run_pip.py")
        command = [sys.executable, program] + shlex.split(magics.expand(arguments, self.namespace))
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
        runtime_modules.forget_parents()

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
            self.publish(
                {
                    "text/html": table_html(["path", "name", "size", "modificationTime"], rows),
                    "text/plain": "\n".join(row[0] for row in rows),
                },
                False,
            )
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
        cells = read_notebook(path)

        def name_of(number):
            return "<cell %d of %s>" % (number, self.name_in_workspace(path))

        self.debugger.know(path, cells, name_of)
        base = self.base
        self.base = os.path.dirname(path)
        self.including.append(os.path.realpath(path))
        try:
            for index, cell in to_run(cells):
                self.execute(to_python(cell), name_of(index + 1))
        finally:
            self.base = base
            self.including.pop()

    def unsupported(self, language):
        remedy = "Run this notebook on a workspace, or take the cell out."
        if language == "r":
            remedy = "Install R, so that Rscript is on the PATH, or run this notebook on a workspace."
        raise NotebookError("Cells in %s are not run by the local service. %s" % (language, remedy))

    def unknown_magic(self, name):
        raise NotebookError(
            "The magic %s is not known to the built-in notebook runner. IPython's magics work with Jupyter: add the PyPI "
            "packages nbclient and ipykernel to the libraries of the job." % name
        )

    # -- other notebooks and files

    def find_notebook(self, path):
        if path.startswith("/Workspace/"):
            path = path[len("/Workspace") :]
        start = (
            os.path.join(self.request["root"], path.lstrip("/"))
            if path.startswith("/")
            else os.path.join(self.base, path)
        )
        for extension in [""] + NOTEBOOK_EXTENSIONS:
            candidate = start + extension
            if os.path.isfile(candidate):
                self.check_inside(candidate, self.request["root"], path)
                return os.path.normpath(candidate)
        raise FileNotFoundError(
            "Notebook %s was not found: looked for %s(%s)"
            % (path, os.path.normpath(start), ", ".join(NOTEBOOK_EXTENSIONS))
        )

    def name_in_workspace(self, path):
        """What tells a notebook from the others of its file name: its path from the workspace's root."""
        try:
            name = os.path.relpath(path, self.request["root"])
        except ValueError:
            # On another drive.
            return os.path.basename(path)
        return os.path.basename(path) if name.startswith(os.pardir) else name.replace(os.sep, "/")

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
        request = dict(
            self.request,
            path=target,
            depth=depth,
            taskFolder=self.request.get("taskFolder") or self.folder,
            parameters={key: str(value) for key, value in arguments.items()},
            # It runs without the debugger, which has one process.
            debugSession=None,
        )
        with open(os.path.join(folder, "request.json"), "w", encoding="utf-8") as file:
            json.dump(request, file)
        self.debugger.say("stderr", "%s runs without the debugger: its breakpoints are not met.\n" % path)
        process = subprocess.Popen(
            [sys.executable, os.path.join(PROGRAMS, "run_notebook.py"), folder],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
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
                raise NotebookError(
                    "Spark is not installed for this notebook. Add the PyPI package pyspark to the libraries of the job, "
                    "or begin the notebook with %pip install pyspark. Spark also needs Java 17."
                )
            builder = SparkSession.builder.appName(self.request.get("name") or "notebook")
            for name, value in (self.request.get("sparkConf") or {}).items():
                builder = builder.config(name, value)
            # The address of a Spark Connect server, whose sessions have no Spark context.
            is_remote = bool(os.environ.get("SPARK_REMOTE"))
            if not is_remote:
                if self.request.get("sparkMaster"):
                    builder = builder.master(self.request["sparkMaster"])
                builder = builder.config("spark.ui.enabled", "false")
            self.session = builder.getOrCreate()
            for name in ("spark", "sqlContext") if is_remote else ("spark", "sqlContext", "sc"):
                if isinstance(self.namespace.get(name), LazySpark):
                    self.namespace[name] = self.runtime_name(name)
        return self.session

    def write_exit(self, value):
        data = value.encode("utf-8", "replace")
        truncated = len(data) > RESULT_LIMIT_BYTES
        self.events.write("exit", value=data[:RESULT_LIMIT_BYTES].decode("utf-8", "ignore"), truncated=truncated)
