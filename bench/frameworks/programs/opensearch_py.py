"""The official client of Python, with its helpers."""

from steps import DIMENSION, HEADERS, INDEX, TEXTS, TIMEOUT, URL, end, step, vector
from opensearchpy import OpenSearch, helpers

client = OpenSearch(URL, headers=HEADERS, timeout=TIMEOUT)
properties = {"text": {"type": "text"}, "embedding": {"type": "knn_vector", "dimension": DIMENSION, "method": {"name": "hnsw", "engine": "lucene", "space_type": "l2"}}}
body = {"settings": {"index": {"knn": True, "number_of_replicas": 0}}, "mappings": {"properties": properties}}


def create():
    client.indices.create(index=INDEX, body=body)
    client.cluster.health(index=INDEX, wait_for_status="yellow")
    return [client.indices.exists(index=INDEX), [one["index"] for one in client.cat.indices(index=INDEX, format="json")]]


def write():
    actions = [{"_index": INDEX, "_id": at, "text": text, "embedding": vector(text)} for at, text in enumerate(TEXTS)]
    written, _ = helpers.bulk(client, actions)
    client.update(index=INDEX, id=1, body={"doc": {"page": 1}})
    client.indices.refresh(index=INDEX)
    return written


def read():
    scanned = sorted(hit["_id"] for hit in helpers.scan(client, index=INDEX, size=1))
    return [client.info()["version"]["number"] != "", client.get(index=INDEX, id=0)["found"], client.count(index=INDEX)["count"], scanned]


def recreate():
    kept = client.indices.get(index=INDEX)[INDEX]
    for name in ("uuid", "creation_date", "provided_name", "version"):
        kept["settings"]["index"].pop(name, None)
    client.indices.delete(index=INDEX)
    return client.indices.create(index=INDEX, body=kept)["acknowledged"]


def delete():
    client.index(index=INDEX, id=0, body={"text": TEXTS[0]}, refresh=True)
    client.delete(index=INDEX, id=0, refresh=True)
    client.delete_by_query(index=INDEX, body={"query": {"match_all": {}}}, refresh=True)
    client.indices.delete(index=INDEX, ignore_unavailable=True)
    return client.indices.exists(index=INDEX)


def found(query):
    return [hit["_source"]["text"] for hit in client.search(index=INDEX, body={"query": query, "size": 1})["hits"]["hits"]]


step("create", create)
step("write", write)
step("read", read)
step("keyword", lambda: found({"match": {"text": "river"}}))
step("vector", lambda: found({"knn": {"embedding": {"vector": vector(TEXTS[0]), "k": 1}}}))
step("recreate", recreate)
step("delete", delete)
end()
