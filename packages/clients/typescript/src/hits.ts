import type { Hit, HybridSearchRequest, SearchRequest } from "./types.ts";

/** The most hits that `from` and `size` reach. Source: OpenSearch's `index.max_result_window`. */
const WINDOW = 10_000;

/** A page of hits, as both kinds of search answer it. */
interface Page<Doc> {
  search_response: { hits: { hits: Hit<Doc>[] } };
}

type Body = Readonly<Record<string, unknown>>;

/**
 * Yields the hits of all pages, one request a page. A body with `sort` is continued by `search_after`, any other by `from`,
 * which ends at 10,000 hits. A hybrid search ends with its candidates.
 */
export async function* allHits<Doc>(
  request: SearchRequest | HybridSearchRequest,
  send: (request: never) => Promise<Page<Doc>>,
): AsyncGenerator<Hit<Doc>> {
  const name = "search_request_template" in request ? "search_request_template" : "search_request";
  const body = (request as unknown as Record<string, Body | undefined>)[name];
  if (body === undefined) throw new TypeError("a template's pages are up to its parameters: send them one by one");
  const { size = 100, from: first = 0, ...rest } = body as { size?: number; from?: number };
  const bySort = name === "search_request" && "sort" in rest;
  let after: readonly unknown[] | undefined;
  for (let from = first; bySort || from < WINDOW; from += size) {
    const place = bySort ? (after ? { search_after: after } : {}) : { from };
    const page = { ...rest, ...place, size: bySort ? size : Math.min(size, WINDOW - from) };
    const { hits } = (await send({ ...request, [name]: page } as never)).search_response.hits;
    yield* hits;
    if (hits.length < page.size) return;
    after = hits.at(-1)?.sort;
  }
}
