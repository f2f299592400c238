import { randomUUID } from "node:crypto";
import * as assert from "uvu/assert";

interface Body {
  index_response: { errors: boolean; items: Array<Record<string, { status: number }>> };
  search_response: { hits: { hits: Array<{ _id: string }> } };
  degraded?: unknown;
  accepted?: number;
}

/**
 * Writes documents, finds them by words and by meaning, and reports a click, over HTTP. Throws if any result is wrong.
 */
export async function proveGateway(url: string, key: string): Promise<void> {
  // The example configuration has embeddings only for this index, which other tests on this machine may use too.
  const index = "products";
  const send = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { "x-api-key": key, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.is(response.status, 200, `${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Body;
  };
  const refused = await fetch(`${url}/application/search`, { method: "POST", body: "{}" });
  assert.is(refused.status, 403);

  // Another test may use it at the same time: it is not deleted, and ids and words belong to this proof alone.
  const created = await fetch(`${url}/raw-backend/${index}`, {
    method: "PUT",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({
      mappings: { properties: { description: { type: "text" }, description_sparse: { type: "rank_features" } } },
    }),
  });
  const answer = await created.text();
  assert.ok(created.status === 200 || answer.includes("resource_already_exists_exception"), answer);
  const word = `salt${randomUUID().slice(0, 8)}`;
  const written = await send("POST", "/application/bulk", {
    index,
    bulk_request: [
      { id: `${word}-1`, op: "index", doc: { description: `a caravan crosses a desert of ${word}` } },
      { id: `${word}-2`, op: "index", doc: { description: "a ship in a storm" } },
    ],
  });
  assert.is(written.index_response.errors, false, JSON.stringify(written.index_response));
  await send("POST", `/raw-backend/${index}/_refresh`);

  const found = await send("POST", "/application/search", {
    index,
    search_request: { query: { match: { description: word } } },
  });
  assert.equal(ids(found), [`${word}-1`]);

  const query = `a caravan in the desert of ${word}`;
  const hybrid = await send("POST", "/application/hybrid-search", {
    index,
    search_query: query,
    search_request_template: {
      query: {
        hybrid: { queries: [{ match: { description: query } }, { bool: { should: "[description_sparse]" } }] },
      },
    },
  });
  assert.is(hybrid.degraded, undefined, JSON.stringify(hybrid.degraded));
  assert.is(ids(hybrid)[0], `${word}-1`);

  const event = { action_name: "click", timestamp: new Date().toISOString(), query_id: randomUUID() };
  const { accepted } = await send("POST", "/application/events", { events: [event] });
  assert.is(accepted, 1);
}

const ids = ({ search_response }: Body) => search_response.hits.hits.map(({ _id }) => _id);
