"""What the Python programs share. Each prints one JSON object for each step, with the error of one that fails."""

import json
import logging
import os
import sys
import warnings

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)

URL, KEY, INDEX = os.environ["URL"], os.environ["KEY"], os.environ["INDEX"]
HEADERS = {"x-api-key": KEY}
TIMEOUT = 60  # seconds: a busy machine is no finding
TEXTS = ["a river at night", "the quiet mountain"]
DIMENSION = 8


def vector(text):
    """Returns an embedding: counts of letters, so that equal texts are nearest."""
    return [float(1 + sum(text.count(letter) for letter in "abcdefghijklmnopqrstuvwx"[at::DIMENSION])) for at in range(DIMENSION)]


def step(name, action):
    try:
        print(json.dumps({"step": name, "got": action()}), flush=True)
    except Exception as error:  # whatever a framework raises is what its user sees
        print(json.dumps({"step": name, "error": f"{type(error).__name__}: {error}"[:600]}), flush=True)


def end():
    """Ends at once: some clients leave connections and threads behind."""
    sys.stdout.flush()
    os._exit(0)
