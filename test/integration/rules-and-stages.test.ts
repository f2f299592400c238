import { S3Client } from "@aws-sdk/client-s3";
import * as assert from "uvu/assert";
import { s3DocumentBucket, versionedDocument } from "../../lib/aws/versioned-documents.ts";
import { createBucket } from "../../local/dev/clients.ts";
import { unique } from "../../local/test/cloud/functions.ts";
import { clientOptions, sharedCloud } from "../fixtures/cloud.ts";
import {
  HYBRID_MAPPING,
  hybridIndex,
  type Json,
  startGateway,
  startUpstreams,
  type TestGateway,
} from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { suite } from "../suite.ts";

const test = suite("rules with synonyms and a reranker");
const cloud = await sharedCloud();
const upstreams = await startUpstreams();
const toStop: Array<{ stop(): Promise<void> }> = [upstreams];
const BUCKET = unique("rules");
const RERANK = { model: "reranker", fields: ["text"], candidates: 20, timeout_ms: 10_000, by_default: true };

const when = (text: string) => ({ text: { contains: [text] } });
const DOCUMENTS = {
  rules: {
    rules: [
      { name: "other-text", when: when("meant"), effects: { replace_text: "n7", pin: [{ id: "d0", place: 2 }] } },
      {
        name: "half-refused",
        when: when("both"),
        effects: { replace_text: "n7", filter: { term: { year: "soon" } }, hide: { ids: ["d7"] } },
      },
      { name: "own-words", when: when("n2"), effects: { hide: { filter: { match: { text: "n2" } } } } },
    ],
  },
  synonyms: { files: { "lamps.txt": ["n7 => n8", "n2 => n3"] } },
};

interface Searched extends Json {
  stages: Array<{ name: string; synonyms?: object[] }>;
}

const idsOf = ({ search_response }: Json) => search_response.hits.hits.map(({ _id }) => _id);

test.before(async () => {
  const s3 = new S3Client({ ...clientOptions(cloud), forcePathStyle: true });
  await createBucket(s3, BUCKET, cloud.region);
  for (const [name, content] of Object.entries(DOCUMENTS)) {
    await versionedDocument(s3DocumentBucket(s3, BUCKET), name).write(0, { by: "test", at: new Date(), content });
  }
});

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
        has_rules: true,
        reranker_endpoint: "reranker",
      },
    });
    toStop.unshift(gateway);
    // A search waits a second for the documents, which may be too short on a busy machine.
    const probes = (await gateway.probe()) as Array<{ kind: string }>;
    assert.equal(
      probes.filter(({ kind }) => kind === "document"),
      ["synonyms", "rules"].map((name) => ({ kind: "document", name, state: "works" })),
    );
    await request(cluster, "PUT", `/${index}`, HYBRID_MAPPING);
    const bulk_request = Array.from({ length: 40 }, (_, at) => ({
      ...{ id: `d${at}`, op: "index" },
      doc: { text: `lamp n${at % 11}`, year: 1900 + at },
    }));
    const { body, text } = await gateway.post("/application/bulk", { index, bulk_request });
    assert.is(body.index_response?.errors, false, text);
    await request(cluster, "POST", `/${index}/_refresh`);
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

    test(`${cluster.version}: ${kind}: what the cluster refuses of a rule does not cost the synonyms`, async () => {
      const { status, body, text } = await words[kind]("both");
      assert.is(status, 200, text);
      assert.equal(
        body.degraded.map(({ stage }) => stage),
        ["rules"],
      );
      assert.equal(idsOf(body).toSorted(), ["d18", "d19", "d29", "d30", "d8"]);
      const wrong = await words[kind]("both", {
        bool: { must: { match: { text: "both" } }, filter: { term: { year: "x" } } },
      });
      assert.is(wrong.status, 422);
    });

    test(`${cluster.version}: ${kind}: filters of rules have no synonyms`, async () => {
      const { body } = await words[kind]("n2");
      assert.equal(idsOf(body).toSorted(), ["d14", "d25", "d3", "d36"]);
    });
  }

  test.after(async () => {
    await request(cluster, "DELETE", `/${index}`);
  });
}

test.after(async () => {
  for (const started of toStop) await started.stop();
});

test.run();
