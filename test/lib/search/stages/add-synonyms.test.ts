import * as assert from "uvu/assert";
import type { ReadIfChanged } from "../../../../lib/platform/aws/versioned-documents.ts";
import type { Degradation } from "../../../../lib/platform/http/degradation.ts";
import { ApiError } from "../../../../lib/platform/http/error.ts";
import { deadlineIn } from "../../../../lib/platform/resilience/deadline.ts";
import { withSynonyms } from "../../../../lib/search/stages/synonyms.ts";
import { sharedStages } from "../../../../lib/search/stages/table.ts";
import { synonymReader } from "../../../../lib/search/synonyms/document.ts";
import { suite } from "../../../suite.ts";

const test = suite("lib/search/stages/add-synonyms");

const QUERY = { match: { t: "sofa" } };
const ENTRY = { synonyms: { files: [{ file: "a.txt" }] } };
const version = (files: object) =>
  JSON.stringify({ version: 1, written_at: "", written_by: "ann", content: { files } });
const reads =
  (files: object): ReadIfChanged =>
  async () => ({ text: version(files), etag: "1" });

const rewrite = (read: ReadIfChanged, entry: Parameters<typeof withSynonyms>[1]["entry"] = ENTRY) =>
  withSynonyms(
    synonymReader(read),
    { entry, synonyms: undefined, locale: undefined, deadline: deadlineIn(1_000) },
    QUERY,
  );

const shards = (reason: string): { partial: Degradation[] } => ({
  partial: [{ stage: "shards", target: "search_response", reason, effect: "" }],
});

test("sends the rewritten body, and the original for the rest of the request once the cluster refused it", async () => {
  const refusals = [
    () => Promise.reject(new ApiError("rejected_by_cluster", "too many clauses")),
    () => Promise.reject(new ApiError("upstream_failed", "no positions", { cause: "status 500" })),
    async () => shards("1 of 2 shards failed: query_shard_exception: no positions"),
  ];
  for (const refusal of refusals) {
    const found = await rewrite(reads({ "a.txt": ["sofa, couch"] }));
    const sent: string[] = [];
    const bodies = { rewritten: "rewritten", original: "original" };
    const send = (body: string) => {
      sent.push(body);
      return body === "rewritten" ? refusal() : Promise.resolve(shards("none").partial.slice(1));
    };
    await found.attempt<string, object>(bodies, send);
    await found.attempt<string, object>(bodies, send);
    assert.equal(sent, ["rewritten", "original", "original"]);
    assert.equal(
      found.degraded().map(({ stage }) => stage),
      ["synonyms"],
    );
  }
});

test("does not blame the synonyms if shards fail for the same reason without them", async () => {
  const found = await rewrite(reads({ "a.txt": ["sofa, couch"] }));
  const both = shards("1 of 2 shards failed: query_shard_exception: no such field");
  const first = { ...both };
  const send = async (body: string) => (body === "rewritten" ? first : both);
  assert.is(await found.attempt<string, object>({ rewritten: "rewritten", original: "original" }, send), first);
  assert.equal(found.degraded(), []);
});

test("does not send the original after a failure that says nothing about the query", async () => {
  const found = await rewrite(reads({ "a.txt": ["sofa, couch"] }));
  const bodies = { rewritten: 1, original: 2 };
  const busy = new ApiError("throttled", "busy");
  assert.is(await found.attempt<number, object>(bodies, () => Promise.reject(busy)).catch((error) => error), busy);
  const overloaded = shards("1 of 2 shards failed: es_rejected_execution_exception: full");
  assert.is(await found.attempt<number, object>(bodies, async () => overloaded), overloaded);
  assert.equal(found.degraded(), []);
});

test("leaves the query as it is, and says so, if the lists cannot be read, asking for them again after 5 seconds", async () => {
  let now = 0;
  let tries = 0;
  const failing = synonymReader(
    async () => {
      tries += 1;
      throw Object.assign(new Error("no"), { name: "AccessDenied", $metadata: { httpStatusCode: 403 } });
    },
    () => now,
  );
  const asked = { entry: ENTRY, synonyms: undefined, locale: undefined, deadline: deadlineIn(1_000) };
  for (const [time, expected] of [
    [0, 1],
    [4_999, 1],
    [5_000, 2],
  ] as const) {
    now = time;
    const found = await withSynonyms(failing, asked, QUERY);
    assert.is(found.query, QUERY);
    assert.is(tries, expected);
    assert.equal([found.degraded().length, found.reports()[0]?.failed], [1, true]);
  }
});

test("uses the lists of before while a later read is late, and the read for searches after it", async () => {
  let now = 0;
  const later = Promise.withResolvers<Awaited<ReturnType<ReadIfChanged>>>();
  const answers = [reads({ "a.txt": ["sofa, couch"] })(undefined, deadlineIn(1)), later.promise];
  const reader = synonymReader(
    () => answers.shift() ?? Promise.reject(new Error("a third read")),
    () => now,
  );
  const { content: before } = await reader(1_000);
  now = 60_000;
  const { content: meanwhile } = await reader(1);
  assert.is(meanwhile, before);
  later.resolve({ text: version({ "b.txt": ["sofa, couch"] }), etag: "2" });
  const { content: after } = await reader(1_000);
  assert.equal([before("a.txt") !== undefined, after("a.txt"), after("b.txt") !== undefined], [true, undefined, true]);
});

test("says which list is not in the document", async () => {
  const found = await rewrite(reads({ "b.txt": ["sofa, couch"] }));
  assert.is(found.query, QUERY);
  assert.is(found.degraded()[0]?.reason, "the synonyms in use have no a.txt");
});

test("reads nothing for an index without synonyms, or whose indexes have different ones", async () => {
  const read: ReadIfChanged = () => Promise.reject(new Error("read"));
  const found = await rewrite(read, {});
  assert.is(found.query, QUERY);
  assert.equal([found.reports(), found.degraded()], [[], []]);
  const index = (entry: object | undefined) => ({ entry }) as never;
  const same = index({ synonyms: { files: [{ file: "a.txt" }] } });
  assert.equal(sharedStages([index(ENTRY), same]).synonyms, ENTRY.synonyms);
  assert.is(sharedStages([index(ENTRY), index(undefined)]).synonyms, undefined);
});

test.run();
