import * as assert from "uvu/assert";
import { HYBRID_MAPPING, hybridIndex, startGateway, startUpstreams, type TestGateway } from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("requests side by side");
await startUpstreams();

const WORDS = ["river", "night", "garden", "city", "winter", "letter", "secret", "house"];
const word = (n: number) => WORDS[n % WORDS.length] ?? "";

/** Members of an answer that differ from call to call. */
const OWN =
  /"(?:took|milliseconds|_seq_no|_primary_term|_version|max_score|_score|_doc|query_id|request_id|timestamp)":\s?(?:-?[\d.e-]+|"[^"]*")/gi;

const TEMPLATE = {
  size: 5,
  query: {
    hybrid: {
      queries: [{ match: { text: "[search_query]" } }, { knn: { text_dense: { vector: "[text_dense]", k: 5 } } }],
    },
  },
};
const template = { name: "words", search_request_template: TEMPLATE, params: {} };

type Call = readonly [path: string, body: object | string];

/** Returns one request of each kind: of every endpoint, of every source of text, with stages, and refused. */
const callsOf = (index: string, n: number): Call[] => {
  const search_request = { size: 3, sort: ["_id"], query: { match: { text: word(n) } } };
  const hybrid = { index, search_query: `${word(n)} ${word(n + 3)}` };
  const search = { index, user_id: `u${n}`, user_query: word(n), search_request };
  return [
    ["/application/search", search],
    [
      "/application/search",
      {
        ...search,
        search_request: { size: 3, query: search_request.query },
        variety: { groups: { field: "genre", max: 1 } },
      },
    ],
    ["/application/hybrid-search", { ...hybrid, search_request_template: TEMPLATE }],
    ["/application/hybrid-search/candidates", { ...hybrid, search_request_template: TEMPLATE }],
    ["/application/multi-search", { searches: [{ ...hybrid, template: "words" }] }],
    [
      "/application/bulk",
      { index: `${index}-w`, bulk_request: [{ id: `w${n}`, op: "index", doc: { text: `${word(n)} ${n}` } }] },
    ],
    [`/raw-backend/${index}/_search`, search_request],
    ["/application/search", { index, search_request: { query: { [`unknown_${n}`]: {} } } }],
  ];
};

for (const cluster of await clusters()) {
  test(`${cluster.version}: 64 requests at once in one process are answered as each alone`, async () => {
    const index = uniqueIndex("side");
    const gateway: TestGateway = await startGateway({
      node: cluster.url,
      settings: { indexes: [hybridIndex(index), hybridIndex(`${index}-w`)], templates: [template] },
    });
    for (const name of [index, `${index}-w`]) await request(cluster, "PUT", `/${name}`, HYBRID_MAPPING);
    const bulk_request = Array.from({ length: 40 }, (_, n) => ({
      ...{ id: `d${n}`, op: "index" },
      doc: { text: `${word(n)} ${word(n * 3 + 1)}`, genre: `g${n % 3}` },
    }));
    const filled = await gateway.post("/application/bulk", { index, refresh: true, bulk_request });
    assert.is(filled.status, 200, filled.text);

    const calls = WORDS.flatMap((_, n) => callsOf(index, n));
    assert.is(calls.length, 64);
    const send = async ([path, body]: Call) => {
      const { status, text } = await gateway.post(path, body);
      return `${status} ${text.replaceAll(OWN, "")}`;
    };
    const alone: string[] = [];
    // Twice, since the first write of a document creates it, and the second replaces it.
    for (const call of [...calls, ...calls]) alone.push(await send(call));
    const together = await Promise.all(calls.map(send));
    assert.equal(together, alone.slice(calls.length));
    const statuses = together.map((answer) => answer.slice(0, 3));
    assert.equal([...new Set(statuses)].toSorted(), ["200", "422"]);
    assert.equal(
      together.filter((answer) => answer.startsWith("200") && /"error":|"degraded":/.test(answer)),
      [],
    );
  });
}

test.after(stopStarted);
test.run();
