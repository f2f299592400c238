import { books } from "@relevance/demo-data/books.ts";
import { loadConfiguration } from "@relevance/lib/settings/load.ts";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { type DemoOptions, ensureDemoIndex } from "../../dev/demo-index.ts";

const test = suite("demo index");

const ENTRIES = loadConfiguration("conf.local").searchGateway?.hybridQueries ?? [];
const CATALOGUE = books(1_200);

interface Index {
  mappings: { _meta?: { relevance_demo?: unknown }; properties: Record<string, { type: string; dimension?: number }> };
}

/** A gateway with one index, with the calls that the demo uses. */
function fakeGateway(existing?: Index) {
  const state = { index: existing, stored: new Set<string>(), calls: [] as string[], failItem: "" };
  const gateway: DemoOptions["gateway"] = async (method, path, body) => {
    state.calls.push(`${method} ${path}`);
    const call = `${method} ${path}`;
    if (call === "GET /raw-backend/books") {
      return state.index ? { status: 200, body: { books: state.index } } : { status: 404, body: {} };
    }
    if (call === "DELETE /raw-backend/books") {
      state.index = undefined;
      state.stored.clear();
    }
    if (call === "PUT /raw-backend/books") state.index = body as Index;
    if (call === "PUT /raw-backend/books/_mapping") Object.assign(state.index?.mappings ?? {}, body);
    if (call === "POST /application/bulk") return { status: 200, body: { index_response: store(body) } };
    return { status: 200, body: { acknowledged: true } };
  };
  const store = (body: unknown) => {
    const { bulk_request } = body as { bulk_request: { id: string }[] };
    const items = bulk_request.map(({ id }) => ({
      index: { _id: id, ...(id === state.failItem && { error: { type: "embedding_failed" } }) },
    }));
    for (const { id } of bulk_request) state.stored.add(id);
    return { errors: items.some(({ index }) => "error" in index), items };
  };
  return { state, gateway };
}

const ensure = (gateway: DemoOptions["gateway"], more: Partial<DemoOptions> = {}) =>
  ensureDemoIndex({
    gateway,
    entries: ENTRIES,
    dimensions: { dense_large_en_v1_5: 1024 },
    models: "stand-ins",
    rebuild: false,
    say: () => undefined,
    catalogue: CATALOGUE,
    ...more,
  });

test("is created with an embedding field for each mapping, filled through bulk, and kept for the next start", async () => {
  const { state, gateway } = fakeGateway();
  await ensure(gateway);
  const { description_dense, description_sparse } = state.index?.mappings.properties ?? {};
  assert.equal([description_dense?.type, description_dense?.dimension], ["knn_vector", 1024]);
  assert.is(description_sparse?.type, "rank_features");
  assert.is(state.stored.size, CATALOGUE.length);
  state.calls = [];
  await ensure(gateway);
  assert.equal(state.calls, ["GET /raw-backend/books"]);
});

const CHANGES: Record<string, Partial<DemoOptions>> = {
  "the catalogue is another one": { catalogue: CATALOGUE.slice(1) },
  "other servers make the vectors": { models: "dense_large_en_v1_5=http://x" },
  "that is asked for": { rebuild: true },
};
for (const [when, change] of Object.entries(CHANGES)) {
  test(`is created again when ${when}`, async () => {
    const { state, gateway } = fakeGateway();
    await ensure(gateway);
    state.calls = [];
    await ensure(gateway, change);
    assert.ok(state.calls.includes("DELETE /raw-backend/books"));
    assert.is(state.stored.size, (change.catalogue ?? CATALOGUE).length);
  });
}

test("is created again when it was not filled completely, and says which book could not be stored", async () => {
  const { state, gateway } = fakeGateway();
  state.failItem = "B0700";
  const said: string[] = [];
  await (await ensure(gateway, { say: (line) => said.push(line) }))?.rest;
  assert.match(said.at(-1) ?? "", /699 of 1200 books, and no more until the next start\. .*B0700.*embedding_failed/);
  state.failItem = "";
  state.calls = [];
  await ensure(gateway);
  assert.ok(state.calls.includes("DELETE /raw-backend/books"));
});

test("goes on in smaller parts in the background when the model server is too slow for the usual ones", async () => {
  const { state, gateway } = fakeGateway();
  const isTooSlow = (body: unknown) =>
    (body as { bulk_request?: unknown[] } | undefined)?.bulk_request?.[8] !== undefined;
  const slow: DemoOptions["gateway"] = async (method, path, body) =>
    isTooSlow(body) ? { status: 504, body: { error: { code: "deadline_exceeded" } } } : gateway(method, path, body);
  const said: string[] = [];
  const going = await ensure(slow, { say: (line) => said.push(line) });
  assert.match(said.join("\n"), /504 .*deadline_exceeded[\s\S]*slow model server/);
  await going?.rest;
  assert.is(state.stored.size, CATALOGUE.length);
  assert.match(said.at(-1) ?? "", /filled in/);
  state.calls = [];
  await ensure(slow);
  assert.equal(state.calls, ["GET /raw-backend/books"]);
});

test("stops going on when the stack stops", async () => {
  const { state, gateway } = fakeGateway();
  state.failItem = "B0001";
  const said: string[] = [];
  const going = await ensure(gateway, { say: (line) => said.push(line), signal: AbortSignal.abort() });
  await going?.rest;
  assert.is(said.length, 1);
});

test("is refused unchanged if its dimension differs, with the command that rebuilds it", async () => {
  const { state, gateway } = fakeGateway();
  await ensure(gateway);
  state.calls = [];
  const dimensions = { dense_large_en_v1_5: 384 };
  const error = await ensure(gateway, { dimensions }).catch((thrown) => thrown);
  assert.match(error.message, /vectors of 384 dimensions, and .* has 1024.*make dev ARGS=--rebuild-demo$/s);
  assert.equal(state.calls, ["GET /raw-backend/books"]);
  await ensure(gateway, { dimensions, rebuild: true });
  assert.is(state.index?.mappings.properties.description_dense?.dimension, 384);
});

test("does not replace an index of that name that is not the demo's", async () => {
  const { state, gateway } = fakeGateway({ mappings: { properties: {} } });
  const said: string[] = [];
  await ensure(gateway, { say: (line) => said.push(line) });
  assert.equal(state.calls, ["GET /raw-backend/books"]);
  assert.match(said.join(), /not the demo's: it stays as it is/);
});

test("reports the gateway's error when it cannot be created", async () => {
  const refuse: DemoOptions["gateway"] = async (method) =>
    method === "GET" ? { status: 404, body: {} } : { status: 503, body: { error: { code: "upstream_unavailable" } } };
  const error = await ensure(refuse).catch((thrown) => thrown);
  assert.match(error.message, /creating the demo index failed: the gateway answered 503 .*upstream_unavailable/);
});

test.run();
