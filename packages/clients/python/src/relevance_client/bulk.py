"""Splits operations into bulk requests, and says which of them to repeat. Independent of how requests are sent."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .models import BulkAnswer, BulkItemResult, BulkOperation, BulkRequest

#: The most bytes of a request's body, and operations in it. Source: the bulk guide.
MOST_BYTES = 4 * 2**20
MOST_OPERATIONS = 5_000


class Written(NamedTuple):
    """What became of an operation: ``result["error"]`` says why it failed."""

    operation: BulkOperation
    result: BulkItemResult


class Batches:
    """Collects operations; ``add`` returns a full batch when the next operation does not fit into it."""

    def __init__(self, index: str, refresh: Any, operations: int, size: int) -> None:
        self._most = min(operations, MOST_OPERATIONS)
        self._bytes = size
        self._empty = _size(request_of(index, [], refresh))
        self._total = self._empty
        self._batch: list[BulkOperation] = []

    def add(self, operation: BulkOperation) -> list[BulkOperation]:
        """Adds an operation. Returns the operations to send before it, often none."""
        full: list[BulkOperation] = []
        own = _size(operation) + 1
        if self._batch and (len(self._batch) >= self._most or self._total + own > self._bytes):
            full = self.rest()
        self._batch.append(operation)
        self._total += own
        return full

    def rest(self) -> list[BulkOperation]:
        """Returns the operations that have not been sent."""
        batch, self._batch, self._total = self._batch, [], self._empty
        return batch


#: Yields a request, is sent its answer, then yields the seconds to pause, again and again.
Attempts = Generator["BulkRequest | float", "BulkAnswer | None", "list[Written]"]


def attempts(index: str, batch: list[BulkOperation], refresh: Any, retries: int) -> Attempts:
    """Writes a batch: repeats exactly what the gateway calls retryable, in its order. Returns all results."""
    results: dict[int, Written] = {}
    left = list(enumerate(batch))
    attempt = 0
    while left:
        answer = yield request_of(index, [operation for _, operation in left], refresh)
        again = []
        seconds = 0.0
        for (position, operation), result in zip(left, _results(answer), strict=True):
            results[position] = Written(operation, result)
            error: Any = result.get("error")
            if error is not None and (result["status"] == 429 or error.get("retryable") is True):
                again.append((position, operation))
                seconds = max(seconds, float(error.get("retry_after") or 0))
        if not again or attempt >= retries:
            break
        yield max(seconds, 0.5 * 2**attempt)
        attempt += 1
        left = again
    return [results[position] for position in range(len(batch))]


def request_of(index: str, operations: list[BulkOperation], refresh: Any) -> BulkRequest:
    """Returns a bulk request."""
    request: BulkRequest = {"index": index, "bulk_request": operations}
    if refresh is not None:
        request["refresh"] = refresh
    return request


def _results(answer: Any) -> Iterator[BulkItemResult]:
    for item in answer["index_response"]["items"]:
        yield next(iter(item.values()))


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())
