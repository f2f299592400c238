import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { allHits } from "../src/hits.ts";
import type { HybridSearchRequest, SearchRequest } from "../src/types.ts";

const test = suite("pages of the TypeScript client");

/** Reads the ids of all pages of an index with `count` documents, as the cluster cuts them. */
async function idsOf(request: SearchRequest | HybridSearchRequest, count: number) {
  const bodies: Record<string, number | undefined>[] = [];
  const all = Array.from({ length: count }, (_, i) => ({
    _index: "books",
    _id: `b${i}`,
    _score: 1,
    _source: {},
    sort: [i],
  }));
  const send = async (page: Record<string, Record<string, number & number[]>>) => {
    const body = page.search_request ?? page.search_request_template ?? {};
    bodies.push(body);
    const from = body.search_after ? (body.search_after[0] ?? 0) + 1 : (body.from ?? 0);
    return { search_response: { hits: { hits: all.slice(from, from + (body.size ?? 0)) } } };
  };
  const ids = (await Array.fromAsync(allHits(request, send as never))).map(({ _id }) => _id);
  return { ids, bodies };
}

const expected = (count: number) => Array.from({ length: count }, (_, i) => `b${i}`);

test("reads hybrid pages by `from` until one is not full", async () => {
  const search_request_template = { query: { hybrid: { queries: [] } }, size: 10 };
  const { ids, bodies } = await idsOf({ index: "books", search_query: "salt", search_request_template }, 25);
  assert.equal(ids, expected(25));
  assert.equal(
    bodies.map(({ from, size }) => [from, size]),
    [
      [0, 10],
      [10, 10],
      [20, 10],
    ],
  );
});

test("without a sort, ends at the window of 10,000", async () => {
  const { ids, bodies } = await idsOf({ index: "books", search_request: { size: 3_000 } }, 20_000);
  assert.is(ids.length, 10_000);
  assert.equal(
    bodies.map(({ size }) => size),
    [3_000, 3_000, 3_000, 1_000],
  );
});

test("with a sort, goes on by search_after beyond the window", async () => {
  const { ids } = await idsOf({ index: "books", search_request: { size: 3_000, sort: ["serial"] } }, 10_500);
  assert.equal(ids, expected(10_500));
});

test("a named template's pages are up to its parameters", async () => {
  const error = await idsOf({ index: "books", template: "shop" }, 1).catch((thrown: unknown) => thrown);
  assert.instance(error, TypeError);
});

test.run();
