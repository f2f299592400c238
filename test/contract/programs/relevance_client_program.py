import asyncio
import json
import os
from typing import Any, TypedDict

from relevance_client import AsyncRelevance, InvalidRequestError, Relevance
from relevance_client.models import BulkOperation, EventRecord

INDEX = os.environ["INDEX"]
KEY = os.environ["API_KEY"]


class Book(TypedDict):
    title: str


HYBRID: Any = {"query": {"hybrid": {"queries": [{"match": {"title": "salt"}}]}}}

with Relevance(os.environ["GATEWAY_URL"], KEY) as gateway:
    operations: list[BulkOperation] = [
        {"id": "w1", "op": "index", "doc": {"title": "Written"}},
        {"id": "w1", "op": "delete"},
    ]
    written = [one.result.get("result") for one in gateway.bulk_all(INDEX, operations)]
    answer = gateway.search(
        {"index": INDEX, "search_request": {"query": {"match": {"title": "salt"}}}, "business_rules": None}, Book
    )
    found = [hit["_source"]["title"] for hit in answer["search_response"]["hits"]["hits"]]
    try:
        gateway.search({"index": "", "search_request": {}})
        refused = []
    except InvalidRequestError as error:
        refused = [issue["path"] for issue in error.issues]


def event(item: str) -> EventRecord:
    return {"USER_ID": "U1", "ITEM_ID": item, "EVENT_TYPE": "click", "TIMESTAMP": 1_740_000_000}


async def the_rest() -> dict[str, Any]:
    async with AsyncRelevance(os.environ["GATEWAY_URL"], KEY) as gateway:
        search: Any = {
            "index": INDEX,
            "search_query": "salt",
            "search_request_template": HYBRID,
            "settings": {"normalization": "l2"},
        }
        fused = [hit.get("_id") async for hit in gateway.hybrid_search_hits(search, Book)]
    async with AsyncRelevance(os.environ["RECOMMENDATION_URL"], KEY) as recommendations:
        upload = await recommendations.log_event({"events": [event("B1"), event("")]})
        recommended = await recommendations.recommend_items_to_user(
            {"user_id": "U1", "limit": 1, "filter_name": "", "filter_value_dict": {}}
        )
    return {
        "fused": fused,
        "accepted": upload["response"]["accepted"],
        "rejected": [record["index"] for record in upload["response"]["rejected"]],
        "items": [item["TITLE"] for item in recommended["response"]["items"]],
        "degraded": [one["stage"] for one in recommended["degraded"]],
    }


print(json.dumps({"written": written, "found": found, "refused": refused, **asyncio.run(the_rest())}))
