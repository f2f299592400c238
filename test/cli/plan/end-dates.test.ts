import * as assert from "uvu/assert";
import { endDateNotes, type ModelLifecycle } from "../../../cli/plan/end-dates.ts";
import { configuration } from "../../fixtures/configurations/configurations.ts";
import { suite } from "../../suite.ts";

const test = suite("plan: end dates");

const active: ModelLifecycle = { status: "ACTIVE", legacy: undefined, end: undefined };
const valid = async () => ({ status: "ISSUED", names: [], expires: new Date("2099-01-01") });
const notes = (now: string, lifecycleOf: (model: string) => Promise<ModelLifecycle | undefined> = async () => active) =>
  endDateNotes(configuration("all-options"), { now: new Date(now), lifecycleOf, certificate: valid });

test("names the end of the runtime in the year before it", async () => {
  assert.equal(await notes("2026-04-29"), []);
  const [note = "", ...more] = await notes("2026-11-26");
  assert.match(note, "Lambda ends nodejs22.x, the runtime of the functions, on 2027-04-30");
  assert.match(note, "updates none from 2027-07-01 on");
  assert.equal(more, []);
});

test("names the end of the newer runtime a year later", async () => {
  const changed = configuration("all-options", [
    ["project.yaml", ["terraform"], { provider: 6 }],
    ["project.yaml", ["aws", "lambda_runtime"], "nodejs24.x"],
  ]);
  const notesOn = (day: string) =>
    endDateNotes(changed, { now: new Date(day), lifecycleOf: async () => active, certificate: valid });
  assert.equal(await notesOn("2027-04-29"), []);
  assert.match(
    String(await notesOn("2027-05-02")),
    "Lambda ends nodejs24.x, the runtime of the functions, on 2028-04-30",
  );
});

test("names each model of Bedrock that ends, and asks for no other", async () => {
  const asked: string[] = [];
  const [english, multilingual, ...more] = await notes("2026-04-01", async (model) => {
    asked.push(model);
    if (model.includes("english")) {
      return { status: "LEGACY", legacy: new Date("2026-09-01"), end: new Date("2027-03-01") };
    }
    return { status: "ACTIVE", legacy: undefined, end: new Date("2028-01-01") };
  });
  assert.equal(asked.sort(), ["cohere.embed-english-v3", "cohere.embed-multilingual-v3"]);
  assert.match(
    english ?? "",
    "ext_embed_english_v3: cohere.embed-english-v3 is a legacy model (since 2026-09-01), and Bedrock ends it on 2027-03-01.",
  );
  assert.match(multilingual ?? "", "becomes one of the legacy models, and Bedrock ends it on 2028-01-01");
  assert.equal(more, []);
});

test("names a reranker of Bedrock that ends, whose place another one can take at once", async () => {
  const changed = configuration("all-options", [
    ["hybrid_search.yaml", ["hybrid_queries", 0, "rerank"], { model: "eu.cohere.rerank-v3-5:0", fields: ["title"] }],
  ]);
  const lifecycleOf = async (model: string) =>
    model === "cohere.rerank-v3-5:0" ? { ...active, status: "LEGACY", end: new Date("2027-03-01") } : active;
  const [note = "", ...more] = await endDateNotes(changed, {
    now: new Date("2026-04-01"),
    lifecycleOf,
    certificate: valid,
  });
  assert.is(note, "rerank: cohere.rerank-v3-5:0 is a legacy model, and Bedrock ends it on 2027-03-01");
  assert.equal(more, []);
});

test("names an expired certificate, which stops no deployment, and leaves what cannot be read to the discovery", async () => {
  const lifecycleOf = async () => active;
  const expired = async () => ({ status: "EXPIRED", names: [], expires: new Date("2026-03-31") });
  const on = { now: new Date("2026-04-01"), lifecycleOf };
  assert.equal(await endDateNotes(configuration("minimal"), { ...on, certificate: expired }), [
    "domain_name_system: the certificate expired on 2026-03-31, so clients refuse the host name: renew it",
  ]);
  const denied = async () => Promise.reject(new Error("no"));
  assert.equal(await endDateNotes(configuration("minimal"), { ...on, certificate: denied }), []);
});

test("says nothing of a model that the region does not have, and that the credentials may not ask", async () => {
  assert.equal(await notes("2026-04-01", async () => undefined), []);
  const denied = Object.assign(new Error("no"), { name: "AccessDeniedException", $metadata: { httpStatusCode: 403 } });
  assert.equal(
    await notes("2026-04-01", async () => {
      throw denied;
    }),
    ["The credentials may not call bedrock:GetFoundationModel, so the plan does not say when models end"],
  );
  const cut = async () => {
    throw Object.assign(new Error("no way"), { name: "TimeoutError" });
  };
  assert.equal(await notes("2026-04-01", cut), [
    "There is no answer (TimeoutError) to bedrock:GetFoundationModel, so the plan does not say when models end",
  ]);
});

test.run();
