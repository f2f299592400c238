"""Turns one search into the requests of its pages. Independent of how requests are sent."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

#: The most hits that ``from`` and ``size`` reach. Source: OpenSearch's ``index.max_result_window``.
WINDOW = 10_000

#: Yields the request of a page, is sent its hits.
Pages = Generator[Any, "list[dict[str, Any]]", None]


def pages_of(request: Any) -> Pages:
    """Yields requests until a page is not full.

    A body with ``sort`` is continued by ``search_after``, any other by ``from``, which ends at 10,000 hits. A hybrid search
    ends with its candidates.
    """
    name = "search_request_template" if "search_request_template" in request else "search_request"
    if name not in request:
        raise TypeError("a template's pages are up to its parameters: send them one by one")
    body = dict(request[name])
    size = body.pop("size", 100)
    start = body.pop("from", 0)
    by_sort = name == "search_request" and "sort" in body
    after: Any = None
    while by_sort or start < WINDOW:
        place = ({} if after is None else {"search_after": after}) if by_sort else {"from": start}
        page = {**body, **place, "size": size if by_sort else min(size, WINDOW - start)}
        hits = yield {**request, name: page}
        if len(hits) < page["size"]:
            return
        after = hits[-1].get("sort")
        start += size
