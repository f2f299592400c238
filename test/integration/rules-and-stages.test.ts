import * as assert from "uvu/assert";
import { whereIs } from "../../packages/lab/whereabouts/where.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import { documentBucket } from "../fixtures/document-bucket.ts";
import { fillIndex } from "../fixtures/fill-index.ts";
import { HYBRID_MAPPING, hybridIndex, startGateway, startUpstreams, type TestGateway } from "../fixtures/gateway.ts";
import type { Json } from "../fixtures/gateway-json.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("rules with synonyms and a reranker");
await startUpstreams();
const RERANK = { model: "reranker", fields: ["text"], candidates: 20, timeout_ms: 10_000, by_default: true };

const when = (text: string) => ({ text: { contains: [text] } });
const BUCKET = await documentBucket({
  rules: [
    { name: "other-text", when: when("meant"), effects: { replace_text: "n7", pin: [{ id: "d0", place: 2 }] } },
    { name: "four", when: { text: { is: ["n4", "standard"] } }, effects: { replace_text: "n7" } },
    { name: "own-words", when: when("n2"), effects: { hide: { filter: { match: { text: "n2" } } } } },
  ],
  synonyms: { "lamps.txt": ["n7 => n8", "n2 => n3"] },
});

const matching = (query: string) => ({ size: 12, query: { match: { text: query } } });
const TEXT = { name: "query", type: "text" as const };
const TEMPLATES = [
  {
    name: "declared",
    search_request_template: matching("[params.query]"),
    parameters: [{ ...TEXT, role: "query" as const }],
  },
  { name: "nowhere", search_request_template: matching("[params.query]"), parameters: [TEXT] },
].map((template) => ({ ...template, params: {} }));

interface Searched extends Json {
  rules: Array<{ name: string; text?: string }>;
  stages: Array<{ name: string; synonyms?: object[] }>;
}

const idsOf = ({ search_response }: Json) => search_response.hits.hits.map(({ _id }) => _id);

for (const cluster of await clusters()) {
  const index = uniqueIndex("ruled");
  let gateway: TestGateway;

  test.before(async () => {
    const synonyms = { files: [{ file: "lamps.txt" }] };
    gateway = await startGateway({
      node: cluster.url,
      env: { BUCKET },
      settings: {
        indexes: [hybridIndex(index, { synonyms, rerank: RERANK })],
        templates: TEMPLATES,
        has_rules: true,
        reranker_endpoint: "reranker",
      },
    });
    // A search waits a second for the documents, which may be too short on a busy machine.
    const read = async () => {
      const probes = (await gateway.probe()) as Array<{ kind: string; name: string; state: string }>;
      const documents = probes.filter(({ kind }) => kind === "document");
      return documents.length === 2 && documents.every(({ state }) => state === "works");
    };
    await waitFor(read, { what: "the documents of synonyms and rules", timeoutMs: 30_000 });
    const documents = Array.from({ length: 40 }, (_, at) => ({
      ...{ id: `d${at}`, doc: { text: `lamp n${at % 11}`, year: 1900 + at } },
    }));
    await fillIndex(cluster, gateway, index, documents);
  });

  /** Searches for a text by words alone, with synonyms and a reranker. */
  const words = {
    plain: (text: string, query: object = { match: { text } }) =>
      gateway.post<Searched>("/application/search", {
        ...{ index, user_query: text, explain_stages: true },
        search_request: { size: 12, query },
      }),
    hybrid: (text: string, query: object = { match: { text } }) =>
      gateway.post<Searched>("/application/hybrid-search", {
        ...{ index, search_query: text, explain_stages: true },
        search_request_template: { size: 12, query: { hybrid: { queries: [query] } } },
      }),
  };

  test(`${cluster.version}: says where a document is in a search of an alias, and why it is not higher`, async () => {
    const alias = `${index}-live`;
    await request(cluster, "PUT", `/${index}/_alias/${alias}`, {});
    const recent = { range: { year: { lt: 1930 } } };
    const queries = (text: string) => [
      { bool: { must: [{ match: { text } }], filter: [recent] } },
      { knn: { text_dense: { vector: "[text_dense]", k: 3 } } },
    ];
    const ask = async ({ path, body }: { path: string; body: object }) => {
      const answer = await gateway.post(path, body);
      if (answer.status !== 200) throw new Error(answer.text);
      return answer.body;
    };
    const steps = async (text: string, document: string, kind: "hybrid" | "plain" = "hybrid") => {
      const native = { size: 5, query: kind === "plain" ? queries(text)[0] : { hybrid: { queries: queries(text) } } };
      const call =
        kind === "plain"
          ? { path: "/application/search" as const, body: { index: alias, user_query: text, search_request: native } }
          : {
              path: "/application/hybrid-search" as const,
              body: { index: alias, search_query: text, search_request_template: native },
            };
      return new Map((await whereIs(ask, { call, document })).map(({ name, ...step }) => [name, step]));
    };

    const filtered = await steps("lamp n5", "d38");
    assert.is(filtered.get("subquery 1")?.rank, null);
    assert.is(filtered.get("subquery 1")?.why, `Filtered out by ${JSON.stringify(recent)}.`);
    const far = await steps("lamp n5", "d1");
    assert.match(far.get("subquery 1")?.rank ?? "", /^=\d+$/);
    assert.match(
      far.get("subquery 2")?.why ?? "",
      /^Matches with score [\d.]+, beyond the candidates: the last of 3 has/,
    );
    assert.match(far.get("fused list")?.why ?? "", /Nothing comes from subquery 2\.$/);

    for (const kind of ["hybrid", "plain"] as const) {
      const hidden = await steps("lamp n2", "d2", kind);
      assert.ok(Number(hidden.get(kind === "hybrid" ? "fused list" : "list")?.rank) > 0);
      assert.match(hidden.get("rules")?.why ?? "", "hidden or filtered out by one of the rules that apply (own-words)");
      assert.is(hidden.get("answer")?.rank, null);
      const pinned = await steps("meant", "d0", kind);
      assert.is(pinned.get("answer")?.rank, "2", JSON.stringify([...pinned]));
      assert.match(pinned.get("rules")?.why ?? "", "Put there by one of the rules that apply (other-text)");
      const nowhere = await steps("lamp n5", "d99", kind);
      assert.equal([...nowhere.keys()], ["index"]);
    }

    // The candidates of several indexes have no common scores; the list has.
    const other = uniqueIndex("ruled-too");
    await request(cluster, "PUT", `/${other}`, HYBRID_MAPPING);
    await request(cluster, "PUT", `/${other}/_alias/${alias}`, {});
    const several = await steps("lamp n5", "d5");
    await request(cluster, "DELETE", `/${other}`);
    assert.match(several.get("subqueries")?.why ?? "", "stands for several indexes");
    assert.ok(Number(several.get("answer")?.rank) > 0, JSON.stringify([...several]));

    const moved = await steps("lamp n5", "d5");
    assert.is(moved.get("answer")?.rank, moved.get("rerank")?.rank ?? moved.get("fused list")?.rank);
  });

  for (const kind of ["plain", "hybrid"] as const) {
    test(`${cluster.version}: ${kind}: the text of a rule has synonyms, is reranked, and pins go last`, async () => {
      const { status, body, text } = await words[kind]("meant");
      assert.is(status, 200, text);
      assert.is(body.degraded, undefined, text);
      // By the reranker, what has the text of the rule comes before what has its synonym.
      const [sevens, eights] = [7, 8].map((at) => [0, 11, 22].map((more) => `d${at + more}`)) as [string[], string[]];
      const found = idsOf(body);
      assert.is(found[1], "d0");
      assert.equal([found[0], ...found.slice(2, 4)].toSorted(), sevens.toSorted());
      assert.equal(found.slice(4).toSorted(), eights.toSorted());
      assert.equal(
        body.stages.map(({ name }) => name),
        ["synonyms", "rerank", "rules"],
      );
      assert.equal(body.stages[0]?.synonyms, [{ from: "n7", to: ["n8"] }]);
    });
  }

  test(`${cluster.version}: the text of a rule is searched for where the search has its text, and nowhere else`, async () => {
    const [fours, sevens] = [4, 7]
      .map((at) => [0, 11, 22, 33].map((more) => at + more))
      .map((all) => all.filter((at) => at < 40).map((at) => `d${at}`));
    const own = (user_query: string, query: object) => ({ user_query, search_request: { size: 12, query } });
    const analyzed = { match: { text: { query: "standard", analyzer: "standard" } } };
    const excluding = { bool: { must: [{ match: { text: "n4" } }], must_not: [{ match: { text: "n4" } }] } };
    for (const [what, body, found, text] of [
      ["a body that excludes the text", own("n4", excluding), sevens, "n7"],
      ["an analyzer", own("standard", analyzed), sevens, "n7"],
      ["a body with another text", own("n4", { match: { text: "n4 " } }), fours, undefined],
      ["a parameter that is the text", { template: "declared", params: { query: "n4" } }, sevens, "n7"],
      ["a parameter without a value", { template: "declared", user_query: "n4" }, sevens, "n7"],
      ["a parameter that is not", { template: "nowhere", user_query: "n4", params: { query: "n4" } }, fours, undefined],
    ] as const) {
      const answer = await gateway.post<Searched>("/application/search", { index, synonyms: false, ...body });
      assert.is(answer.status, 200, `${what}: ${answer.text}`);
      assert.equal(idsOf(answer.body).toSorted(), found?.toSorted(), what);
      assert.equal(answer.body.rules, [{ name: "four", ...(text !== undefined && { text }) }], what);
      const lost = (answer.body.degraded ?? []).map(({ stage, effect }) => `${stage}: ${effect}`);
      assert.equal(lost, text === undefined ? ["rules: the text of the request is searched for"] : [], what);
    }
  });

  test.after(async () => {
    await request(cluster, "DELETE", `/${index}`);
  });
}

test.after(stopStarted);

test.run();
