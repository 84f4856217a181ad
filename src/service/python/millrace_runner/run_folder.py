"""The folder of a run: request.json says what to run; events.jsonl is what was done, one JSON object a line."""

import json
import os
import sys

from .output import now


def load(folder):
    with open(os.path.join(folder, "request.json"), encoding="utf-8") as file:
        return json.load(file)


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
