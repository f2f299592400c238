"""The asynchronous client. The synchronous one is generated from it, by taking ``async`` and ``await`` away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

import httpx

from .bulk import MOST_BYTES, Batches, Written, attempts
from .calls import TIMEOUT, Call, may_repeat, pause_of, post, raw, value_of
from .errors import ConnectionFailedError, error_of
from .hits import pages_of
from .iterables import each_async

if TYPE_CHECKING:
    from . import models as t
    from .models import Doc

#: Default when the caller names no document type.
ANY: Any = dict


class AsyncRelevance:
    """Calls the search gateway or the recommendation service. Each method is one endpoint.

    Args:
        url: The address that ``make dev``, ``deploy`` and ``relevance info`` print, for one of the two APIs.
        key: The API key.
        retries: How often a call is repeated that can be repeated safely.
        timeout: The longest that one attempt may take, in seconds.
        headers: Sent with each request: for example ``x-client-id``.
        transport: Replaces httpx's transport.
        pause: Replaces the pause before a repeated attempt.
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        retries: int = 3,
        timeout: float = TIMEOUT,
        headers: Mapping[str, str] | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._retries = retries
        self._pause = pause
        self._http = httpx.AsyncClient(
            base_url=url.rstrip("/"),
            headers={"x-api-key": key, **(headers or {})},
            timeout=timeout,
            transport=transport,
        )

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> AsyncRelevance:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def bulk(self, request: t.BulkRequest) -> t.BulkAnswer:
        """Creates, replaces, updates and deletes documents of an index, up to 5,000 in 4 MiB."""
        return await self._json(post("/application/bulk", request, safe=False))

    async def bulk_all(
        self,
        index: str,
        operations: Iterable[t.BulkOperation] | AsyncIterable[t.BulkOperation],
        *,
        refresh: bool | str | None = None,
        most: int = 500,
        size: int = MOST_BYTES,
        retries: int = 3,
    ) -> AsyncIterator[Written]:
        """Writes any number of documents, split into requests, and yields what became of each in the given order.

        Args:
            most: The most operations in a request. With embeddings, a few hundred are a good number.
            size: The most bytes of a request's body.
            retries: How often an operation is repeated that the gateway calls retryable.
        """
        batches = Batches(index, refresh, most, size)
        async for operation in each_async(operations):
            for written in await self._written(index, batches.add(operation), refresh, retries):
                yield written
        for written in await self._written(index, batches.rest(), refresh, retries):
            yield written

    async def search(self, request: t.Search, document: type[Doc] = ANY) -> t.SearchAnswer[Doc]:
        """Runs a search body or a named template.

        Args:
            document: Your type of the documents, a TypedDict; nothing is converted.
        """
        return await self._json(post("/application/search", request, safe=True))

    def search_hits(self, request: t.Search, document: type[Doc] = ANY) -> AsyncIterator[t.Hit[Doc]]:
        """Yields the hits of all pages of a search. ``size`` is the size of a page.

        Args:
            document: Your type of the documents, a TypedDict; nothing is converted.
        """
        return self._hits(request, self.search)

    async def hybrid_search(
        self, request: t.HybridSearch, document: type[Doc] = ANY
    ) -> t.HybridSearchAnswer[Doc]:
        """Runs a hybrid search body or a named template.

        Args:
            document: Your type of the documents, a TypedDict; nothing is converted.
        """
        return await self._json(post("/application/hybrid-search", request, safe=True))

    def hybrid_search_hits(self, request: t.HybridSearch, document: type[Doc] = ANY) -> AsyncIterator[t.Hit[Doc]]:
        """Yields the hits of all pages of a hybrid search. ``size`` is the size of a page.

        Args:
            document: Your type of the documents, a TypedDict; nothing is converted.
        """
        return self._hits(request, self.hybrid_search)

    async def multi_search(self, request: t.MultiSearch) -> t.MultiSearchAnswer:
        """Runs several searches by named templates side by side: each result is an answer, or the error of that search."""
        return await self._json(post("/application/multi-search", request, safe=True))

    async def candidates(self, request: t.CandidatesRequest) -> t.CandidatesAnswer:
        """Returns the candidates of each subquery of a hybrid search, before they are combined."""
        return await self._json(post("/application/hybrid-search/candidates", request, safe=True))

    async def suggest(self, request: t.SuggestRequest) -> t.SuggestAnswer:
        """Suggests how a text may go on that a user is typing."""
        return await self._json(post("/application/suggest", request, safe=True))

    async def events(self, request: t.EventsRequest) -> t.EventsAnswer:
        """Reports what users did with hits."""
        return await self._json(post("/application/events", request, safe=False))

    async def recommend_items_to_user(self, request: t.RecommendToUserRequest) -> t.RecommendToUserAnswer:
        """Recommends items to a user."""
        return await self._json(post("/recommend-items-to-user", request, safe=True))

    async def recommend_items_to_item(self, request: t.RecommendToItemRequest) -> t.RecommendToItemAnswer:
        """Recommends items that are similar to an item."""
        return await self._json(post("/recommend-items-to-item", request, safe=True))

    async def recommend_for_placement(
        self, request: t.RecommendForPlacementRequest
    ) -> t.RecommendForPlacementAnswer:
        """Recommends items for a place of a page, as ``recommendation.yaml`` describes it."""
        return await self._json(post("/recommend-for-placement", request, safe=True))

    async def rank_items_to_user(self, request: t.RankItemsRequest) -> t.RankItemsAnswer:
        """Orders items for a user."""
        return await self._json(post("/rank-items-to-user", request, safe=True))

    async def update_items(self, request: t.UpdateItemsRequest) -> t.UploadAnswer:
        """Creates or replaces items, 1 to 500."""
        return await self._json(post("/update-items", request, safe=False))

    async def update_users(self, request: t.UpdateUsersRequest) -> t.UploadAnswer:
        """Creates or replaces users, 1 to 500."""
        return await self._json(post("/update-users", request, safe=False))

    async def delete_items(self, request: t.DeleteItemsRequest) -> t.UploadAnswer:
        """Deletes items, 1 to 500. Ids without an item are accepted."""
        return await self._json(post("/delete-items", request, safe=False))

    async def log_event(self, request: t.LogEventRequest) -> t.UploadAnswer:
        """Stores events, 1 to 500. Give each an ``EVENT_ID`` if you may send it twice."""
        return await self._json(post("/log-event", request, safe=False))

    async def raw(self, method: str, path: str, body: Any = None, *, content_type: str = "application/json") -> Any:
        """Calls the cluster itself. Returns the answer parsed if it is JSON, else its text.

        Args:
            path: The path below ``/raw-backend``, such as ``/books/_count``.
            body: A value that becomes JSON, or a text that is sent as it is.
        """
        response = await self._send(raw(method, path, body, content_type))
        return value_of(response.text, response.headers.get("content-type", ""))

    async def _hits(self, request: Any, send: Callable[[Any], Awaitable[Any]]) -> AsyncIterator[Any]:
        pages = pages_of(request)
        page = next(pages, None)
        while page is not None:
            answer = await send(page)
            found = answer["search_response"]["hits"]["hits"]
            for hit in found:
                yield hit
            try:
                page = pages.send(found)
            except StopIteration:
                return

    async def _written(self, index: str, batch: list[Any], refresh: Any, retries: int) -> list[Written]:
        if not batch:
            return []
        steps = attempts(index, batch, refresh, retries)
        step: Any = next(steps)
        while True:
            try:
                if isinstance(step, float):
                    await self._pause(step)
                    step = steps.send(None)
                else:
                    step = steps.send(await self.bulk(step))
            except StopIteration as end:
                return cast("list[Written]", end.value)

    async def _json(self, call: Call) -> Any:
        return (await self._send(call)).json()

    async def _send(self, call: Call) -> httpx.Response:
        attempt = 0
        while True:
            try:
                return await self._attempt(call)
            except Exception as error:
                if attempt >= self._retries or not may_repeat(error, call):
                    raise
                await self._pause(pause_of(error, attempt))
                attempt += 1

    async def _attempt(self, call: Call) -> httpx.Response:
        try:
            response = await self._http.request(call.method, call.path, content=call.body, headers=call.headers())
        except httpx.TransportError as error:
            raise ConnectionFailedError(f"{call.method} {call.path}: {error!r}") from error
        if response.status_code >= 400:
            raise error_of(response.status_code, response.text, response.headers)
        return response
