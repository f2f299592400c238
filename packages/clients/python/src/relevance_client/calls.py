"""What the synchronous and the asynchronous client share: requests, and which of them may be repeated."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import Any

from .errors import ConnectionFailedError, RelevanceError

#: Codes whose contract says that nothing was done.
NOTHING_DONE = ("throttled", "upstream_failed", "upstream_unavailable", "timeout")

#: API Gateway waits 29 seconds for an answer.
TIMEOUT = 35.0

_FIRST_PAUSE = 0.2
_LONGEST_PAUSE = 10.0


@dataclass(frozen=True)
class Call:
    """A call of the API.

    ``safe`` says that a second call changes nothing that the first did not: such a call is also repeated if its answer was
    lost. Others are repeated only if the service says that nothing was done.
    """

    method: str
    path: str
    safe: bool
    body: bytes | None = None
    content_type: str = "application/json"

    def headers(self) -> dict[str, str]:
        """Returns the headers of the body."""
        return {} if self.body is None else {"content-type": self.content_type}


def post(path: str, request: Any, *, safe: bool) -> Call:
    """Returns a call with a JSON body."""
    return Call("POST", path, safe, json.dumps(request, ensure_ascii=False, separators=(",", ":")).encode())


def raw(method: str, path: str, body: Any, content_type: str) -> Call:
    """Returns a call of the cluster's own API. A text is sent as it is, anything else as JSON."""
    text = body if isinstance(body, str) or body is None else json.dumps(body, ensure_ascii=False)
    data = None if text is None else text.encode()
    return Call(method, f"/raw-backend{path}", method in ("GET", "HEAD"), data, content_type)


def value_of(text: str, content_type: str) -> Any:
    """Returns an answer of the cluster parsed if it is JSON, else its text; None if it is empty."""
    if text == "":
        return None
    return json.loads(text) if "json" in content_type else text


def may_repeat(error: Exception, call: Call) -> bool:
    """Returns whether a call may be repeated after an error."""
    if isinstance(error, ConnectionFailedError):
        return call.safe
    if isinstance(error, RelevanceError):
        return error.code in NOTHING_DONE or (call.safe and error.code == "outcome_unknown")
    return False


def pause_of(error: Exception, attempt: int) -> float:
    """Returns the seconds before the next attempt: what the service says, or twice as long each time.

    A part of the pause is random, so that clients which failed together do not come back together.
    """
    retry_after = getattr(error, "retry_after", None)
    if retry_after is not None:
        return min(retry_after, _LONGEST_PAUSE)
    return min(_FIRST_PAUSE * 2**attempt, _LONGEST_PAUSE) * (0.5 + random.random() / 2)
