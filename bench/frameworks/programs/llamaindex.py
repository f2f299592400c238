"""LlamaIndex's OpensearchVectorStore."""

from steps import DIMENSION, HEADERS, INDEX, TEXTS, TIMEOUT, URL, end, step, vector
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores.types import VectorStoreQuery, VectorStoreQueryMode
from llama_index.vector_stores.opensearch import OpensearchVectorClient, OpensearchVectorStore


def connect():
    return OpensearchVectorStore(
        OpensearchVectorClient(URL, INDEX, DIMENSION, engine="lucene", embedding_field="embedding", text_field="content", headers=HEADERS, timeout=TIMEOUT)
    )


store = connect()
nodes = [
    TextNode(
        id_=str(at),
        text=text,
        embedding=vector(text),
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=f"book-{at}")},
    )
    for at, text in enumerate(TEXTS)
]


def query(mode, text):
    asked = VectorStoreQuery(query_embedding=vector(text), query_str=text, similarity_top_k=1, mode=mode)
    return [node.get_content() for node in store.query(asked).nodes]


def delete():
    store.delete("book-0")
    store.delete_nodes(["1"])
    store.clear()
    return store.client is not None


# It creates its index when it first needs it.
step("create", lambda: store._client._ensure_initialized() or True)
step("write", lambda: store.add(nodes))
step("keyword", lambda: query(VectorStoreQueryMode.TEXT_SEARCH, "river"))
step("vector", lambda: query(VectorStoreQueryMode.DEFAULT, TEXTS[0]))
step("delete", delete)
end()
