import type { Relevance } from "@relevance/client";

/** Does not compile: the document has no field of this name, and the request none of the other. */
export async function wrong(relevance: Relevance) {
  const { search_response } = await relevance.search<{ title: string }>({
    index: "books",
    search_request: {},
    limit: 1,
  });
  return search_response.hits.hits[0]?._source.titel;
}
