"""The built-in runner: runs a notebook cell by cell. A Python without any package is enough."""

import atexit
import builtins
import gc
import os
import sys
import threading
import types

from .cells import to_python, to_run
from .debugger import NotebookDebugger
from .errors import NotebookExit, cell_name, safe_text, user_traceback
from .machine import Machine
from .output import CellStream, DescriptorCapture, Events, Recorder, flush_regularly, now
from .own_modules import hide
from .run_folder import enter_folder, load, open_notebook


def main(folder):
    """Runs the notebook that the request in the folder names, and ends the process: 1 if a cell failed, else 0."""
    request = load(folder)
    events = Events(os.path.join(folder, "events.jsonl"))
    os.environ.setdefault("MPLBACKEND", "Agg")
    cells = open_notebook(request, events, "builtin")
    if cells is None:
        return 1

    debugger = NotebookDebugger(request.get("debugSession"))
    # At once: the editor's breakpoints are on their way.
    debugger.know(request["path"], cells, cell_name)
    hide()
    recorder = Recorder(events, request["cellLimitBytes"])
    recorder.listener = debugger.say
    captures = [DescriptorCapture(recorder, "stdout", 1), DescriptorCapture(recorder, "stderr", 2)]
    recorder.mirror = {each.name: each.original for each in captures}
    sys.stdout = CellStream(recorder, "stdout", 1)
    sys.stderr = CellStream(recorder, "stderr", 2)
    flusher = threading.Thread(target=flush_regularly, args=(recorder,), daemon=True)
    for thread in [flusher] + [each.thread for each in captures]:
        debugger.leave_alone(thread)
    flusher.start()

    machine = Machine(folder, request, events, debugger)
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
    debugger.wait()

    code = 0
    for index, cell in to_run(cells):
        recorder.begin(index)
        status = "ok"
        try:
            machine.execute(to_python(cell), cell_name(index + 1))
            machine.show_figures()
        except NotebookExit as end:
            status = "exit"
            value = str(end)
        except BaseException as error:
            debugger.halt(error)
            status = "error"
            for capture in captures:
                capture.drain()
            recorder.output(
                {
                    "type": "error",
                    "name": type(error).__name__,
                    "message": safe_text(error),
                    "traceback": user_traceback(type(error), error, error.__traceback__),
                }
            )
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
    try:
        if machine.session is not None:
            machine.session.stop()
        atexit._run_exitfuncs()
        machine.namespace.clear()
        gc.collect()
    except BaseException:
        pass
