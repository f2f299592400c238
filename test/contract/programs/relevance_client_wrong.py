"""Passes no type check: the document has no field of this name, and the request none of the other."""

from typing import TypedDict

from relevance_client import Relevance


class Book(TypedDict):
    title: str


def wrong(relevance: Relevance) -> None:
    answer = relevance.search({"index": "books", "search_request": {}, "limit": 1}, Book)
    print(answer["search_response"]["hits"]["hits"][0]["_source"]["titel"])
