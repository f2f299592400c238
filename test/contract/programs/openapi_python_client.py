import json
import os

from gateway import AuthenticatedClient
from gateway.api.bulk import bulk
from gateway.api.hybrid_search import hybrid_search
from gateway.api.search import search
from gateway.models import (
    BulkDelete,
    BulkDeleteOp,
    BulkIndex,
    BulkIndexOp,
    BulkRequest,
    Document,
    HybridSearchRequest,
    HybridSettings,
    HybridTemplate,
    NativeSearch,
    Normalization,
    SearchRequest,
)
from recommendation import AuthenticatedClient as RecommendationClient
from recommendation.api.ingest import log_event
from recommendation.api.recommend import recommend_items_to_user
from recommendation.models import EventRecord, FilterValues, LogEventRequest, RecommendToUserRequest

INDEX = os.environ["INDEX"]
KEY = {"token": os.environ["API_KEY"], "auth_header_name": "x-api-key", "prefix": ""}
gateway = AuthenticatedClient(base_url=os.environ["GATEWAY_URL"], **KEY)
recommendations = RecommendationClient(base_url=os.environ["RECOMMENDATION_URL"], **KEY)

bulked = bulk.sync(
    client=gateway,
    body=BulkRequest(
        index=INDEX,
        bulk_request=[
            BulkIndex(id="w1", op=BulkIndexOp.INDEX, doc=Document.from_dict({"title": "Written"})),
            BulkDelete(id="w1", op=BulkDeleteOp.DELETE),
        ],
    ),
)
written = [(item.index or item.delete).result for item in bulked.index_response.items]

query = {"query": {"match": {"title": "salt"}}}
searched = search.sync(
    client=gateway,
    body=SearchRequest(index=INDEX, search_request=NativeSearch.from_dict(query), business_rules=None),
)
found = [hit.field_source["title"] for hit in searched.search_response.hits.hits]

template = {"query": {"hybrid": {"queries": [{"match": {"title": "salt"}}]}}}
hybrid = hybrid_search.sync(
    client=gateway,
    body=HybridSearchRequest(
        index=INDEX,
        search_query="salt",
        search_request_template=HybridTemplate.from_dict(template),
        settings=HybridSettings(normalization=Normalization.L2),
    ),
)
fused = [hit.field_id for hit in hybrid.search_response.hits.hits]

wrong = search.sync(client=gateway, body=SearchRequest(index="", search_request=NativeSearch()))

event = {"USER_ID": "U1", "ITEM_ID": "B1", "EVENT_TYPE": "click", "TIMESTAMP": 1_740_000_000}
upload = log_event.sync(
    client=recommendations,
    body=LogEventRequest(events=[EventRecord.from_dict(event), EventRecord.from_dict({**event, "ITEM_ID": ""})]),
)

recommended = recommend_items_to_user.sync(
    client=recommendations,
    body=RecommendToUserRequest(user_id="U1", limit=1, filter_name="", filter_value_dict=FilterValues()),
)

result = {
    "written": written,
    "found": found,
    "fused": fused,
    "refused": [issue.path for issue in wrong.error.issues],
    "accepted": upload.response.accepted,
    "rejected": [record.index for record in upload.response.rejected],
    "items": [item["TITLE"] for item in recommended.response.items],
    "degraded": [one.stage for one in recommended.degraded],
}
print(json.dumps(result, separators=(",", ":")))
