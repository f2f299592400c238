"""Haystack's OpenSearchDocumentStore and its retrievers."""

from steps import DIMENSION, HEADERS, INDEX, TEXTS, TIMEOUT, URL, end, step, vector
from haystack import Document
from haystack.document_stores.types import DuplicatePolicy
from haystack_integrations.components.retrievers.opensearch import OpenSearchBM25Retriever, OpenSearchEmbeddingRetriever
from haystack_integrations.document_stores.opensearch import OpenSearchDocumentStore

store = OpenSearchDocumentStore(
    hosts=URL,
    index=INDEX,
    embedding_dim=DIMENSION,
    method={"name": "hnsw", "engine": "lucene", "space_type": "l2"},
    http_auth=None,
    headers=HEADERS, timeout=TIMEOUT,
)
documents = [Document(id=str(at), content=text, embedding=vector(text), meta={"page": at}) for at, text in enumerate(TEXTS)]


def read():
    kept = store.filter_documents({"field": "meta.page", "operator": "==", "value": 1})
    return [store.count_documents(), [document.id for document in kept], sorted(store.get_metadata_fields_info())]


def recreate():
    store.delete_all_documents(recreate_index=True)
    return store.write_documents(documents, policy=DuplicatePolicy.OVERWRITE)


def delete():
    store.delete_documents(["0"])
    store.delete_by_filter({"field": "meta.page", "operator": "==", "value": 1}, refresh=True)
    store.delete_all_documents()
    return store.count_documents()


step("create", lambda: store._ensure_initialized() or True)
step("write", lambda: store.write_documents(documents, policy=DuplicatePolicy.OVERWRITE))
step("read", read)
step("keyword", lambda: [one.content for one in OpenSearchBM25Retriever(document_store=store).run("river")["documents"]])
step("vector", lambda: OpenSearchEmbeddingRetriever(document_store=store, top_k=1).run(vector(TEXTS[0]))["documents"][0].content)
step("recreate", recreate)
step("delete", delete)
end()
