"""Runs a notebook through nbclient and writes the same events as the built-in runner.

It needs nbclient and ipykernel, which the other modules of this package do not.
"""

import asyncio
import os
import signal
import sys

from .cells import to_python, to_run
from .output import Events, Recorder, now
from .own_modules import PROGRAMS
from .run_folder import load, open_notebook


async def main(folder):
    import nbformat
    from jupyter_client.kernelspec import KernelSpec
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient

    request = load(folder)
    events = Events(os.path.join(folder, "events.jsonl"))
    cells = open_notebook(request, events, "jupyter")
    if cells is None:
        return 1
    recorder = Recorder(events, request["cellLimitBytes"], {"stdout": 1, "stderr": 2})

    class Client(NotebookClient):
        def process_message(self, msg, cell, cell_index):
            content, kind = msg["content"], msg["msg_type"]
            if kind == "stream":
                recorder.stream(content["name"], content["text"])
                recorder.flush()
            elif kind in ("display_data", "execute_result"):
                recorder.output({"type": "data", "data": dict(content["data"]), "isResult": kind == "execute_result"})
            elif kind == "error" and content["ename"] != "NotebookExit":
                recorder.output(
                    {
                        "type": "error",
                        "name": content["ename"],
                        "message": content["evalue"],
                        "traceback": content["traceback"],
                    }
                )
            return super().process_message(msg, cell, cell_index)

    positions = [index + 1 for index, _ in to_run(cells)]
    book = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_markdown_cell(cell["source"])
            if cell["kind"] == "markdown"
            else nbformat.v4.new_code_cell(to_python(cell, keep_unknown_magics=True))
            for cell in cells
        ]
    )
    # Sockets in a folder that only this user can enter: over TCP, anybody on the machine could connect.
    manager = AsyncKernelManager(
        kernel_name="python3",
        connection_file=os.path.join(request["kernelFolder"], "kernel.json"),
        transport="tcp" if os.name == "nt" else "ipc",
    )
    # The kernel of this very Python, whatever kernels are registered on the machine.
    manager._kernel_spec = KernelSpec(
        argv=[sys.executable, *request.get("pythonOptions", []), "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        display_name="Python",
        language="python",
    )
    client = Client(
        book,
        km=manager,
        timeout=None,
        startup_timeout=120,
        resources={"metadata": {"path": os.path.dirname(request["path"])}},
    )
    # What the kernel itself says, such as at its start, is no output of a cell.
    with open(os.path.join(folder, "kernel.log"), "wb") as log:
        return await run_cells(client, folder, request, cells, book, positions, recorder, events, log)


async def run_cells(client, folder, request, cells, book, positions, recorder, events, log):
    from nbclient.exceptions import CellExecutionError, DeadKernelError

    code = 0
    async with client.async_setup_kernel(stdout=log, stderr=log):
        # nbclient would wind down slowly and report a dead kernel; a cancelled run ends at once.
        if os.name != "nt":
            asyncio.get_running_loop().remove_signal_handler(signal.SIGTERM)
        # The runner's program in the kernel, without a name of its own among the notebook's.
        program = os.path.join(PROGRAMS, "enter_kernel.py")
        setup = "__import__('runpy').run_path(%r, {'RUN_FOLDER': %r, 'POSITIONS': %r});" % (program, folder, positions)
        # With a debugger it waits for the editor, and who waits for that is the service.
        timeout = None if request.get("debugSession") else 120
        reply = await client.kc.execute(setup, silent=True, store_history=False, reply=True, timeout=timeout)
        if reply["content"]["status"] != "ok":
            events.write(
                "broken", message="The Jupyter kernel could not be prepared: %s" % reply["content"].get("evalue")
            )
            return 1
        for index, _ in to_run(cells):
            recorder.begin(index)
            status = "ok"
            try:
                await client.async_execute_cell(book.cells[index], index)
            except CellExecutionError as error:
                status = "exit" if error.ename == "NotebookExit" else "error"
            except DeadKernelError:
                status = "error"
                recorder.output(
                    {
                        "type": "error",
                        "name": "DeadKernelError",
                        "message": "The kernel died.",
                        "traceback": last_words(log.name),
                    }
                )
            recorder.end(index, status)
            if status == "error":
                code = 1
            if status != "ok":
                break
    events.write("done", at=now())
    return code


def last_words(path):
    """What the interpreter said when it died, such as where it was in C code."""
    with open(path, "rb") as file:
        text = file.read()[-20000:].decode("utf-8", "replace")
    start = text.rfind("Fatal Python error")
    return [] if start < 0 else text[start:].rstrip().split("\n")[:200]
