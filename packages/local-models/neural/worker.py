"""Computes embeddings from token ids. Reads one request a line from stdin: ["dense" or "sparse", [ids]]. Writes one JSON
answer a line to stdout, in the same order: a unit vector, or [[ids], [weights]]. Ends when stdin does.

Argument: the folder of the models. Needs NumPy and onnxruntime.
"""

import json
import os
import struct
import sys

import numpy as np


class Dense:
    """all-MiniLM-L6-v2: the mean of the last layer's vectors, as its model card says."""

    def __init__(self, folder):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # more do not help a short text
        self.session = onnxruntime.InferenceSession(os.path.join(folder, "dense.onnx"), options)

    def embed(self, ids):
        # One text a run: the model scales its integers by the largest value of a batch, so other texts would change it.
        tokens = np.array([ids], dtype=np.int64)
        feed = {"input_ids": tokens, "attention_mask": np.ones_like(tokens), "token_type_ids": np.zeros_like(tokens)}
        return unit(self.session.run(["last_hidden_state"], feed)[0][0].mean(axis=0))


class Sparse:
    """SPLADE: a language model says which words a text is about. Weights: log(1 + relu(logit))."""

    def __init__(self, folder):
        self.bert = Bert(os.path.join(folder, "sparse.safetensors"), heads=2)

    def embed(self, ids):
        bert, head = self.bert, "cls.predictions"
        x = gelu(bert.dense(head + ".transform.dense", bert.read(ids)))
        x = bert.norm(head + ".transform.LayerNorm", x)
        logits = (x @ bert.words.T).max(axis=0) + bert.tensors[head + ".bias"]
        found = np.flatnonzero(logits > 0)
        return [found.tolist(), [round(float(value), 6) for value in np.log1p(logits[found])]]


class Bert:
    """The layers of BERT, for one text at a time."""

    def __init__(self, path, heads):
        # The names of the older implementation, and those of a model with a head.
        newer = {"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}
        self.tensors = {}
        for name, tensor in read_tensors(path):
            for old, new in newer.items():
                name = name.replace(old, new)
            self.tensors[name.removeprefix("bert.")] = tensor
        self.words = self.tensors["embeddings.word_embeddings.weight"]
        self.layers = sum(name.endswith("attention.self.query.bias") for name in self.tensors)
        self.heads = heads

    def dense(self, name, x):
        return x @ self.tensors[name + ".weight"].T + self.tensors[name + ".bias"]

    def norm(self, name, x):
        x = x - x.mean(axis=-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-12)
        return x * self.tensors[name + ".weight"] + self.tensors[name + ".bias"]

    def attention(self, name, x):
        def split(part):
            return self.dense(name + part, x).reshape(len(x), self.heads, -1).transpose(1, 0, 2)

        query, key, value = split(".query"), split(".key"), split(".value")
        scores = query @ key.transpose(0, 2, 1) / np.sqrt(query.shape[-1])
        shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
        shares /= shares.sum(axis=-1, keepdims=True)
        return (shares @ value).transpose(1, 0, 2).reshape(len(x), -1)

    def read(self, ids):
        """Returns the last layer's vector of each token."""
        place = "embeddings.position_embeddings.weight"
        segment = self.tensors["embeddings.token_type_embeddings.weight"][0]
        x = self.norm("embeddings.LayerNorm", self.words[ids] + self.tensors[place][: len(ids)] + segment)
        for number in range(self.layers):
            layer = f"encoder.layer.{number}"
            attended = self.dense(layer + ".attention.output.dense", self.attention(layer + ".attention.self", x))
            x = self.norm(layer + ".attention.output.LayerNorm", x + attended)
            inner = gelu(self.dense(layer + ".intermediate.dense", x))
            x = self.norm(layer + ".output.LayerNorm", x + self.dense(layer + ".output.dense", inner))
        return x


def unit(vector):
    return [round(float(value), 7) for value in vector / np.linalg.norm(vector)]


def gelu(x):
    """GELU with the error function of Abramowitz and Stegun, 7.1.26 (1.5e-7), which NumPy lacks."""
    z = np.abs(x) / np.sqrt(2)
    t = 1 / (1 + 0.3275911 * z)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return 0.5 * x * (1 + np.sign(x) * (1 - series * np.exp(-z * z)))


def read_tensors(path):
    """Reads a safetensors file of 32-bit floats: a length, a JSON header, then the numbers."""
    with open(path, "rb") as file:
        content = file.read()
    (length,) = struct.unpack("<Q", content[:8])
    for name, about in json.loads(content[8 : 8 + length]).items():
        if name == "__metadata__" or about["dtype"] != "F32":
            continue
        begin, end = about["data_offsets"]
        numbers = np.frombuffer(content, dtype="<f4", count=(end - begin) // 4, offset=8 + length + begin)
        yield name, numbers.reshape(about["shape"])


def answer_requests(kinds):
    """`kinds` makes a model by its name, for its first request."""
    models = {}
    for line in sys.stdin:
        kind, ids = json.loads(line)
        if kind not in models:
            models[kind] = kinds[kind](sys.argv[1])
        print(json.dumps(models[kind].embed(ids), separators=(",", ":")), flush=True)


if __name__ == "__main__":
    answer_requests({"dense": Dense, "sparse": Sparse})
