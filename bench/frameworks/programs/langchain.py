"""LangChain's OpenSearchVectorSearch."""

from steps import DIMENSION, HEADERS, INDEX, TEXTS, TIMEOUT, URL, end, step, vector
from langchain_community.vectorstores import OpenSearchVectorSearch
from langchain_core.embeddings import Embeddings


class Letters(Embeddings):
    def embed_documents(self, texts):
        return [vector(text) for text in texts]

    def embed_query(self, text):
        return vector(text)


store = OpenSearchVectorSearch(URL, INDEX, Letters(), headers=HEADERS, timeout=TIMEOUT, engine="lucene")


def write():
    # refresh_indices is not passed on by add_texts, which always refreshes.
    return len(store.add_texts(TEXTS, ids=["0", "1"], metadatas=[{"page": 0}, {"page": 1}]))


def recreate():
    store.delete_index()
    store.create_index(DIMENSION, INDEX)
    return store.index_exists()


def delete():
    store.add_texts(TEXTS, ids=["0", "1"])
    store.delete(["0"])
    return store.delete_index()


step("create", lambda: store.create_index(DIMENSION, INDEX))
step("write", write)
step("vector", lambda: [found.page_content for found in store.similarity_search(TEXTS[0], k=1)])
step("recreate", recreate)
step("delete", delete)
end()
