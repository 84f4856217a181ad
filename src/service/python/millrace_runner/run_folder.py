"""The folder of a run: request.json says what to run; events.jsonl is what was done, one JSON object a line."""

import json
import os
import sys

from .errors import NotebookError
from .files import read_notebook
from .output import now


def load(folder):
    with open(os.path.join(folder, "request.json"), encoding="utf-8") as file:
        return json.load(file)


def open_notebook(request, events, engine):
    """The cells of the notebook, announced; None, with the reason told, if it cannot be read."""
    try:
        cells = read_notebook(request["path"])
    except (NotebookError, OSError, UnicodeDecodeError) as error:
        announce(events, [], engine)
        events.write("broken", message=str(error))
        return None
    announce(events, cells, engine)
    return cells


def announce(events, cells, engine):
    events.write(
        "notebook",
        at=now(),
        engine=engine,
        cells=[
            {
                "kind": each["kind"],
                "source": each["source"],
                "title": each.get("title", ""),
                "language": each.get("language", ""),
            }
            for each in cells
        ],
    )


def enter_folder(request):
    folder = os.path.dirname(request["path"])
    os.chdir(folder)
    for each in (request["root"], folder):
        if each not in sys.path:
            sys.path.insert(0, each)
