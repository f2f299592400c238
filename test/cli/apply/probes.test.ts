import * as assert from "uvu/assert";
import { type Invoke, probeServices } from "../../../cli/apply/probes.ts";
import type { Probe } from "../../../lib/platform/http/probe.ts";
import { namesOf } from "../../../lib/platform/naming/names.ts";
import { type Change, type ConfigurationName, configuration } from "../../fixtures/configurations/configurations.ts";
import { suite } from "../../suite.ts";
import { notingTerminal } from "../noting.ts";

const test = suite("probes after a deployment");

const names = namesOf({ project: "all-options", account: "123456789012", region: "eu-west-1" });

interface Run {
  from?: ConfigurationName;
  changes?: readonly Change[];
  timeoutMs?: number;
}

/** Probes a function that gives these answers in turn and repeats the last. */
async function run(answers: readonly (readonly Probe[] | Awaited<ReturnType<Invoke>> | Error)[], options: Run = {}) {
  const { terminal, text } = notingTerminal();
  const calls: string[] = [];
  const invoke: Invoke = async (fn, event) => {
    assert.equal(event, { probe: true });
    const answer = answers[Math.min(calls.push(fn), answers.length) - 1] ?? [];
    if (answer instanceof Error) throw answer;
    return "payload" in answer ? answer : { payload: JSON.stringify(answer), failed: false };
  };
  const config = configuration(options.from ?? "all-options", options.changes);
  const works = await probeServices({ config, terminal, names }, invoke, {
    timeoutMs: options.timeoutMs ?? 0,
    intervalMs: 1,
  });
  return { works, text: text(), calls };
}

const works: Probe = { kind: "model", name: "sparse_v3", state: "works" };
const failed = (name: string, error: string, kind: Probe["kind"] = "model"): Probe => ({
  kind,
  name,
  state: "failed",
  error: { name: error, message: "told so" },
});

test("lists what works and what is not trained yet", async () => {
  const {
    works: fine,
    text,
    calls,
  } = await run([
    [works, { kind: "campaign", name: "a", state: "untrained" }],
    [{ kind: "cluster", name: "as all_access", state: "works" }],
  ]);
  assert.is(fine, true);
  assert.equal(calls, ["api-router", "suggestions"]);
  assert.is(
    text,
    "Calling all that api-router calls once\n  model sparse_v3: works\n  campaign a: not trained yet\n" +
      "Calling all that suggestions calls once\n  cluster as all_access: works\n" +
      "    suggestions is an administrator of the cluster: `relevance cluster-role` prints a role that is enough\n",
  );
});

test("says how to get access to a model, and that the deployment is complete", async () => {
  const { works: fine, text } = await run([[works, failed("ext_embed_english_v3", "AccessDeniedException")]]);
  assert.is(fine, false);
  assert.match(
    text,
    "  model sparse_v3: works\n  model ext_embed_english_v3: failed with AccessDeniedException: told so",
  );
  assert.match(text, /access to the model in eu-west-1: request it in the Bedrock console under "Model access"/);
  assert.match(text, "The deployment is complete, but the model ext_embed_english_v3 cannot be called");
});

test("gives advice for each failure", async () => {
  for (const [probe, advice] of [
    [
      failed("sparse_v3", "ValidationError"),
      /the endpoint (all-options-sparse-v3-[\w-]+) .* its log \/aws\/sagemaker\/Endpoints\/\1\./,
    ],
    [failed("sparse_v3", "ModelFilesError"), "Run `make models` and deploy again"],
    [failed("ext_embed_english_v3", "ValidationException"), "inference profile"],
    [failed("ext_embed_english_v3", "EmbeddingError"), "Check model_id and dimension"],
    [failed("arn", "ResourceNotFoundException", "campaign"), "There is no such campaign: train it"],
    [failed("arn", "AccessDeniedException", "campaign"), "may not call the campaign"],
    [failed("arn", "InternalServerException", "campaign"), "ACTIVE in the Personalize console"],
    [failed("", "AccessDeniedException", "cluster"), "send the calls that `relevance cluster-role` prints"],
  ] as const) {
    const { works: fine, text } = await run([[probe]]);
    assert.match(text, advice);
    assert.is(fine, false);
  }
});

test("points to the existing endpoint of a failed model", async () => {
  const changes: Change[] = [["model.yaml", ["sparse_v3"], { endpoint_name: "shop-sparse" }]];
  const { text } = await run([[failed("sparse_v3", "ModelError")]], { changes });
  assert.match(text, "See the endpoint shop-sparse in the SageMaker console");
});

test("points to the endpoint of a failed reranker, or to the access to one of Bedrock", async () => {
  const changes: Change[] = [
    ["model.yaml", ["reranker"], { endpoint_name: "shop-reranker" }],
    ["hybrid_search.yaml", ["hybrid_queries", 0, "rerank"], { model: "reranker", fields: ["title"] }],
  ];
  const { text } = await run([[failed("reranker", "ModelError")]], { changes });
  assert.match(text, "See the endpoint shop-reranker in the SageMaker console");
  const hosted = await run([[failed("cohere.rerank-v3-5:0", "AccessDeniedException")]]);
  assert.match(hosted.text, "Give the account access to the model");
});

test("retries when IAM denies access at first", async () => {
  const denied = [failed("ext_embed_english_v3", "AccessDeniedException")];
  const { works: fine, text, calls } = await run([denied, denied, [works]], { timeoutMs: 60_000 });
  assert.is(fine, true);
  assert.equal(calls, [...Array(3).fill("api-router"), "suggestions"]);
  assert.not.match(text, /failed/);
});

test("reports a failing function, and names its log", async () => {
  const { works: fine, text } = await run([{ payload: '{"errorMessage":"boom"}', failed: true }]);
  assert.is(fine, false);
  assert.match(text, 'api-router fails: {"errorMessage":"boom"}');
  assert.match(text, "See the log /aws/lambda/all-options-api-router");
});

test("does not fail the deployment if the credentials may not invoke the function", async () => {
  const denied = Object.assign(new Error("no"), { name: "AccessDeniedException" });
  const { works: fine, text } = await run([denied]);
  assert.is(fine, true);
  assert.match(text, "Not checked whether they work: the credentials may not call lambda:InvokeFunction");
  assert.is((await run([new Error("broken")])).works, false);
});

test("says that a cluster does not answer, as from a test, and calls the deployment a success", async () => {
  const error = { name: "ClusterFailure", message: "getaddrinfo ENOTFOUND" };
  const { works: fine, text } = await run([[works, { kind: "cluster", name: "", state: "unreachable", error }], []]);
  assert.is(fine, true);
  assert.match(text, "  cluster: does not answer: getaddrinfo ENOTFOUND\n    Whether it knows the function is");
});

test("calls only the cluster without models and campaigns", async () => {
  const { works: fine, calls } = await run([[{ kind: "cluster", name: "", state: "works" }]], { from: "minimal" });
  assert.equal([fine, calls], [true, ["api-router"]]);
});

test.run();
