"""What a cell prints and shows, on its way to the file of events, with the limit of its size."""

import io
import json
import os
import threading
import time

LIMIT_EXIT_CODE = 86


def now():
    return int(time.time() * 1000)


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
                data = data[os.write(self.descriptor, data) :]


def size_of(output):
    if output["type"] == "stream":
        return len(output["text"].encode("utf-8", "replace"))
    if output["type"] == "error":
        return sum(len(line.encode("utf-8", "replace")) for line in output["traceback"])
    return sum(
        len(value.encode("utf-8", "replace")) if isinstance(value, str) else len(json.dumps(value))
        for value in output["data"].values()
    )


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
        # Hears what is printed, as it is kept.
        self.listener = None

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
                if self.listener is not None:
                    self.listener(name, text)
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
            data = data[os.write(descriptor, data) :]
    except OSError:
        pass


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
        self.thread = threading.Thread(target=self.pump, daemon=True)
        self.thread.start()

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
            keep = next(
                (n for n in range(min(len(held), len(self.marker) - 1), 0, -1) if self.marker.startswith(held[-n:])), 0
            )
            self.take(held[: len(held) - keep])
            held = held[len(held) - keep :]

    def take(self, data):
        if data:
            self.recorder.stream(self.name, data.decode("utf-8", "replace"))

    def drain(self):
        """Waits until what was written so far has been taken."""
        self.seen.clear()
        os.write(self.descriptor, self.marker)
        self.seen.wait(5)


def flush_regularly(recorder):
    while True:
        time.sleep(0.2)
        recorder.flush()
