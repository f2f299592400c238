"""Iterates over what either client may be given."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def each(values: Iterable[T]) -> Iterator[T]:
    """Yields each value."""
    return iter(values)


async def each_async(values: Iterable[T] | AsyncIterable[T]) -> AsyncIterator[T]:
    """Yields each value of an iterable of either kind."""
    if isinstance(values, AsyncIterable):
        async for value in values:
            yield value
    else:
        for value in values:
            yield value
