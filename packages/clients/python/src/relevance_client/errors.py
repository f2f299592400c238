"""The errors of the client, one class for each kind of code that the services answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


class RelevanceError(Exception):
    """An error that the service answered.

    Attributes:
        status: The HTTP status.
        code: The service's code, or ``unexpected_answer`` if the answer is not the service's.
        issues: Every invalid place of the request, each with ``path`` and ``message``.
        cause: What the cluster or another service behind the API reported.
        request_id: Identifies the request in the service's logs.
        retry_after: Seconds to wait before another attempt, if the service named them.
        answer: The whole answer: an upload's has ``response.rejected`` beside the error.
    """

    def __init__(self, status: int, answer: Any, headers: Mapping[str, str]) -> None:
        error = answer.get("error") if isinstance(answer, dict) else None
        error = error if isinstance(error, dict) else {}
        self.status = status
        self.code: str = error["code"] if error.get("code") in CLASSES else "unexpected_answer"
        self.issues: list[dict[str, str]] = error.get("issues") or []
        self.cause = error.get("cause")
        self.request_id: str | None = error.get("request_id") or headers.get("x-request-id")
        self.retry_after = _seconds(headers.get("retry-after"))
        self.answer = answer
        message = error.get("message") or f"the service answered {status}"
        super().__init__(f"{message} ({status} {self.code})")


class InvalidRequestError(RelevanceError):
    """The request is not valid: ``issues`` lists every invalid place, or ``cause`` has the cluster's reason."""


class UnauthorizedError(RelevanceError):
    """The signed token is missing, expired, forged or of an unknown key."""


class ForbiddenError(RelevanceError):
    """The key is missing or wrong, or may not make this call."""


class NotFoundError(RelevanceError):
    """The index, template, filter, item or placement does not exist."""


class TooLargeError(RelevanceError):
    """The request or its answer is too large."""


class ThrottledError(RelevanceError):
    """Too many requests: nothing was done."""


class UnavailableError(RelevanceError):
    """A service behind the API failed, could not be reached or was too slow: nothing was written."""


class OutcomeUnknownError(RelevanceError):
    """Nobody knows whether the request took effect."""


class ConnectionFailedError(Exception):
    """The service could not be reached, or its answer was lost on the way: for a write, the outcome is unknown."""


#: The class of each code.
CLASSES: dict[str, type[RelevanceError]] = {
    "invalid_request": InvalidRequestError,
    "rejected_by_cluster": InvalidRequestError,
    "unsupported_media_type": InvalidRequestError,
    "method_not_allowed": InvalidRequestError,
    "unauthorized": UnauthorizedError,
    "forbidden": ForbiddenError,
    "not_found": NotFoundError,
    "index_not_found": NotFoundError,
    "template_not_found": NotFoundError,
    "filter_not_found": NotFoundError,
    "item_not_found": NotFoundError,
    "placement_not_found": NotFoundError,
    "payload_too_large": TooLargeError,
    "response_too_large": TooLargeError,
    "throttled": ThrottledError,
    "upstream_failed": UnavailableError,
    "upstream_unavailable": UnavailableError,
    "not_trained": UnavailableError,
    "timeout": UnavailableError,
    "outcome_unknown": OutcomeUnknownError,
    "internal": RelevanceError,
}


def error_of(status: int, text: str, headers: Mapping[str, str]) -> RelevanceError:
    """Returns the error for an answer whose status is 400 or higher."""
    try:
        answer = json.loads(text)
    except ValueError:
        answer = None
    error = answer.get("error") if isinstance(answer, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    return CLASSES.get(code, RelevanceError)(status, answer, headers)  # type: ignore[arg-type]


def _seconds(value: str | None) -> float | None:
    try:
        return None if value is None else float(value)
    except ValueError:
        return None
