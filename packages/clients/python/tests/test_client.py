"""Runs the client against a transport in the process: what is sent, what is repeated, what is raised."""

from __future__ import annotations

import asyncio
import json
import unittest
from collections.abc import Callable
from typing import Any

import httpx

from relevance_client import (
    AsyncRelevance,
    ConnectionFailedError,
    ForbiddenError,
    InvalidRequestError,
    NotFoundError,
    OutcomeUnknownError,
    Relevance,
    RelevanceError,
    ThrottledError,
    UnauthorizedError,
    UnavailableError,
)

SEARCH: Any = {"index": "books", "search_request": {"query": {"match_all": {}}}}
BULK: Any = {"index": "books", "bulk_request": [{"id": "b1", "op": "delete"}]}

Reply = Callable[[httpx.Request], httpx.Response]


def failure(status: int, code: str, **headers: str) -> Reply:
    error = {"code": code, "message": f"no: {code}", "request_id": "r1", "issues": [{"path": "index", "message": "x"}]}
    return lambda _: httpx.Response(status, json={"error": error}, headers=headers)


def lost(request: httpx.Request) -> httpx.Response:
    raise httpx.ReadError("lost", request=request)


class Served:
    """Answers requests by a list of replies, then by ``{"done": true}``, and records requests and pauses."""

    def __init__(self, *replies: Reply) -> None:
        self.requests: list[httpx.Request] = []
        self.pauses: list[float] = []
        self._replies = list(replies)

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return self._replies.pop(0)(request) if self._replies else httpx.Response(200, json={"done": True})

    def client(self) -> Relevance:
        return Relevance("http://x/", "k1", transport=httpx.MockTransport(self.answer), pause=self.pauses.append)


class Calls(unittest.TestCase):
    def test_sends_the_key_and_the_request(self) -> None:
        served = Served()
        self.assertEqual(served.client().search(SEARCH), {"done": True})
        (request,) = served.requests
        self.assertEqual((request.method, request.url.path), ("POST", "/application/search"))
        self.assertEqual((request.headers["x-api-key"], json.loads(request.content)), ("k1", SEARCH))

    def test_refusals_have_a_class_and_are_not_repeated(self) -> None:
        for status, code, kind in (
            (400, "invalid_request", InvalidRequestError),
            (401, "unauthorized", UnauthorizedError),
            (403, "forbidden", ForbiddenError),
            (404, "index_not_found", NotFoundError),
            (500, "internal", RelevanceError),
        ):
            served = Served(failure(status, code))
            with self.assertRaises(kind) as raised:
                served.client().search(SEARCH)
            error = raised.exception
            self.assertEqual((str(error), error.request_id), (f"no: {code} ({status} {code})", "r1"))
            self.assertEqual((error.issues[0]["path"], len(served.requests)), ("index", 1))

    def test_repeats_what_was_not_done(self) -> None:
        for status, code, kind in (
            (429, "throttled", ThrottledError),
            (502, "upstream_failed", UnavailableError),
            (503, "upstream_unavailable", UnavailableError),
            (504, "timeout", UnavailableError),
        ):
            for call in (lambda client: client.search(SEARCH), lambda client: client.bulk(BULK)):
                served = Served(failure(status, code))
                self.assertEqual(call(served.client()), {"done": True})
                served = Served(*[failure(status, code)] * 9)
                self.assertRaises(kind, call, served.client())
                self.assertEqual(len(served.requests), 4)

    def test_waits_as_long_as_the_service_says(self) -> None:
        served = Served(failure(429, "throttled", **{"retry-after": "2"}))
        served.client().search(SEARCH)
        self.assertEqual(served.pauses, [2.0])

    def test_a_lost_answer_is_repeated_for_reads_alone(self) -> None:
        served = Served(lost)
        self.assertEqual(served.client().search(SEARCH), {"done": True})
        for call in (
            lambda client: client.bulk(BULK),
            lambda client: client.log_event({"events": []}),
            lambda client: client.raw("POST", "/books/_doc", {}),
        ):
            served = Served(lost)
            self.assertRaises(ConnectionFailedError, call, served.client())
            self.assertEqual(len(served.requests), 1)

    def test_an_unknown_outcome_is_repeated_for_reads_alone(self) -> None:
        served = Served(failure(500, "outcome_unknown"))
        self.assertEqual(served.client().hybrid_search(SEARCH), {"done": True})
        served = Served(failure(500, "outcome_unknown"))
        self.assertRaises(OutcomeUnknownError, served.client().bulk, BULK)
        self.assertEqual(len(served.requests), 1)

    def test_an_answer_that_is_not_the_services(self) -> None:
        served = Served(lambda _: httpx.Response(403, text="<html>"))
        with self.assertRaises(RelevanceError) as raised:
            served.client().search(SEARCH)
        self.assertEqual(raised.exception.code, "unexpected_answer")


class Bulk(unittest.TestCase):
    def test_splits_keeps_the_order_and_repeats_what_is_retryable(self) -> None:
        attempts: dict[str, int] = {}

        def reply(request: httpx.Request) -> httpx.Response:
            items = []
            for operation in json.loads(request.content)["bulk_request"]:
                name = operation["id"]
                attempts[name] = attempts.get(name, 0) + 1
                item: dict[str, Any] = {"_index": "books", "_id": name, "status": 201}
                if name == "b1" and attempts[name] < 3:
                    item |= {"status": 503, "error": {"retryable": True, "retry_after": 7}}
                if name == "b3":
                    item |= {"status": 400, "error": {"type": "mapper_parsing_exception"}}
                items.append({operation["op"]: item})
            return httpx.Response(200, json={"index_response": {"items": items}})

        served = Served(*[reply] * 9)
        operations: Any = ({"id": f"b{i}", "op": "index", "doc": {"text": "é"}} for i in range(6))
        written = list(served.client().bulk_all("books", operations, most=4))
        self.assertEqual([one.result["status"] for one in written], [201, 201, 201, 400, 201, 201])
        sent = [[one["id"] for one in json.loads(r.content)["bulk_request"]] for r in served.requests]
        self.assertEqual(sent, [["b0", "b1", "b2", "b3"], ["b1"], ["b1"], ["b4", "b5"]])
        self.assertEqual(served.pauses, [7.0, 7.0])

    def test_no_body_is_longer_than_the_limit(self) -> None:
        def reply(request: httpx.Request) -> httpx.Response:
            count = len(json.loads(request.content)["bulk_request"])
            return httpx.Response(200, json={"index_response": {"items": [{"index": {"status": 201}}] * count}})

        served = Served(*[reply] * 9)
        texts = ["é" * 300, "x", "é" * 2_000, "y", "z" * 500]
        operations: Any = [{"id": f"b{i}", "op": "index", "doc": {"text": text}} for i, text in enumerate(texts)]
        self.assertEqual(len(list(served.client().bulk_all("books", operations, size=1_000))), 5)
        sizes = [(len(json.loads(r.content)["bulk_request"]), len(r.content)) for r in served.requests]
        self.assertTrue(all(count == 1 or size <= 1_000 for count, size in sizes), sizes)
        self.assertEqual(len(sizes), 3)


class Hits(unittest.TestCase):
    def ids(self, request: Any, count: int) -> list[str]:
        hits = [{"_id": f"b{i}", "sort": [i]} for i in range(count)]

        def reply(request: httpx.Request) -> httpx.Response:
            body = json.loads(request.content)["search_request"]
            start = body["search_after"][0] + 1 if "search_after" in body else body.get("from", 0)
            found = hits[start : start + body["size"]]
            return httpx.Response(200, json={"search_response": {"hits": {"hits": found}}})

        return [hit["_id"] for hit in Served(*[reply] * 9).client().search_hits(request)]

    def test_reads_every_page(self) -> None:
        for count in (0, 10, 25):
            request = {"index": "books", "search_request": {"size": 10}}
            self.assertEqual(self.ids(request, count), [f"b{i}" for i in range(count)])

    def test_a_sort_goes_beyond_the_window(self) -> None:
        without: Any = {"index": "books", "search_request": {"size": 4_000}}
        self.assertEqual(len(self.ids(without, 10_500)), 10_000)
        sort: Any = {"index": "books", "search_request": {"size": 4_000, "sort": ["serial"]}}
        self.assertEqual(len(self.ids(sort, 10_500)), 10_500)


class Asynchronous(unittest.TestCase):
    def test_differs_in_nothing_but_async(self) -> None:
        async def run() -> tuple[Any, list[Any], list[Any]]:
            served = Served(failure(429, "throttled"))

            async def pause(seconds: float) -> None:
                served.pauses.append(seconds)

            transport = httpx.MockTransport(served.answer)
            async with AsyncRelevance("http://x", "k1", transport=transport, pause=pause) as client:
                found = await client.search(SEARCH)
            pages = Served(lambda _: httpx.Response(200, json={"search_response": {"hits": {"hits": [{"_id": "b1"}]}}}))
            written = Served(lambda _: httpx.Response(200, json={"index_response": {"items": [{"index": {"status": 201}}]}}))

            async def operations() -> Any:
                yield {"id": "b1", "op": "index", "doc": {}}

            async with AsyncRelevance("http://x", "k1", transport=httpx.MockTransport(pages.answer)) as client:
                hits = [hit async for hit in client.search_hits(SEARCH)]
            async with AsyncRelevance("http://x", "k1", transport=httpx.MockTransport(written.answer)) as client:
                results = [one.result async for one in client.bulk_all("books", operations())]
            return found, hits, results

        found, hits, results = asyncio.run(run())
        self.assertEqual((found, hits, results), ({"done": True}, [{"_id": "b1"}], [{"status": 201}]))


if __name__ == "__main__":
    unittest.main()
