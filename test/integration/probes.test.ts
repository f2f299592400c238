// What `relevance deploy` calls after it has applied, through the built bundle and the stand-in models.
import * as assert from "uvu/assert";
import { gatewaySettings } from "../../build/settings-files.ts";
import { proveGateway } from "../../cli/apply/after-deploy.ts";
import { probeServices } from "../../cli/apply/probes.ts";
import { createTerminal } from "../../cli/terminal.ts";
import type { Probe } from "../../lib/platform/http/probe.ts";
import { namesOf } from "../../lib/platform/naming/names.ts";
import { configuration } from "../fixtures/configurations/configurations.ts";
import { API_KEY, CAMPAIGN_ARN, hybridIndex, SETTINGS, startGateway, startUpstreams } from "../fixtures/gateway.ts";
import { clusters } from "../fixtures/opensearch.ts";
import { suite } from "../suite.ts";

const test = suite("probes through the built gateway");

const [cluster] = await clusters();
const upstreams = await startUpstreams();
const hosted = {
  name: "ext_embed_english_v3",
  model_id: "cohere.embed-english-v3",
  revision: "1",
  concurrency: 1,
  dimension: 1024,
} as const;
const gateway = await startGateway({
  node: cluster?.url ?? "",
  settings: {
    indexes: [hybridIndex("books")],
    models: [...SETTINGS.models, hosted],
    personalized_ranking: {
      campaign_arn: CAMPAIGN_ARN,
      weight: 0.5,
      window: 10,
      timeout_ms: 1_000,
      item_id_field: "id",
    },
  },
});
test.before.each(() => {
  upstreams.models.control.reset();
  upstreams.ranking.failure = undefined;
});
test.after(async () => {
  await gateway.stop();
  await upstreams.stop();
});

const names = namesOf({ project: "all-options", account: "123456789012", region: "eu-west-1" });

/** Creates a terminal. Returns it with a function that returns the notes printed so far. */
function notes() {
  let text = "";
  const terminal = createTerminal({ write: () => false }, { write: (part: string) => (text += part) }, true);
  return { terminal, text: () => text };
}

/** What a user reads, and whether `deploy` calls it a success. */
async function deployed() {
  const { terminal, text } = notes();
  const invoke = async () => ({ payload: JSON.stringify(await gateway.probe()), failed: false });
  const patience = { timeoutMs: 0, intervalMs: 1 };
  const works = await probeServices(
    {
      config: configuration("all-options", [["hybrid_search.yaml", ["hybrid_queries", 0, "suggest"], undefined]]),
      terminal,
      names,
    },
    invoke,
    patience,
  );
  return { works, lines: text().trimEnd().split("\n") };
}

test("calls each model and the campaign once, and reports that they work", async () => {
  const { works, lines } = await deployed();
  assert.is(works, true, lines.join("\n"));
  assert.equal(lines.slice(1), [
    "  cluster: works",
    "  model dense_large_en_v1_5: works",
    "  model sparse_v3: works",
    "  model ext_embed_english_v3: works",
    `  campaign ${CAMPAIGN_ARN}: works`,
  ]);
  const { control } = upstreams.models;
  for (const { name } of [...SETTINGS.models, hosted]) assert.is(control.counts(name).calls, 1, name);
  assert.is(upstreams.ranking.calls.length, 1);
});

test("reports a model that answers AccessDenied and a missing campaign, and that the others work", async () => {
  upstreams.models.control.setFaults("ext_embed_english_v3", [{ kind: "status", status: 403 }]);
  upstreams.ranking.failure = { status: 404, type: "ResourceNotFoundException" };
  const { works, lines } = await deployed();
  assert.is(works, false);
  assert.match(lines[3] ?? "", "model sparse_v3: works");
  assert.match(lines[4] ?? "", "model ext_embed_english_v3: failed with AccessDeniedException: told to fail with 403");
  assert.match(lines[5] ?? "", 'request it in the Bedrock console under "Model access"');
  assert.match(lines[6] ?? "", "failed with ResourceNotFoundException");
  assert.match(lines.at(-1) ?? "", "The deployment is complete, but the model ext_embed_english_v3 and the campaign");
});

test("does not fail a deployment that denies every call of the raw backend, or whose cluster does not answer", async () => {
  const config = configuration("all-options", [["api.yaml", ["raw_backend"], { deny: ["* /*"] }]]);
  const { raw_backend_deny } = gatewaySettings(config, { names });
  const denying = await startGateway({ node: "http://127.0.0.1:9", settings: { raw_backend_deny } });
  const { terminal, text } = notes();
  const project = { config, terminal, env: {}, names };
  try {
    const keys = [{ key: "default", name: "first", value: API_KEY }];
    const { url } = denying;
    const service = "search-gateway";
    assert.is(await proveGateway(project, { service, url, executeUrl: url, authorization: "api_key", keys }), true);
    const [probe] = (await denying.probe()) as Probe[];
    assert.equal([probe?.kind, probe?.state], ["cluster", "unreachable"]);
    assert.match(text(), 'The gateway answers. The rule "deny" of raw_backend keeps this request from the cluster');
  } finally {
    await denying.stop();
  }
});

test.run();
