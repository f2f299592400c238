// Files in the shape of public ones go the way that a user sends them, from `schema-generation` to `status`, into one
// project. At each step every row is accounted for: accepted, rejected with its line, trained, or left out with a reason.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { stringify } from "yaml";
import { buildFunctions } from "../../build/functions.ts";
import { functionFiles, functionsOf } from "../../build/settings-files.ts";
import { readText } from "../../lib/platform/aws/object-store.ts";
import { s3ObjectStore } from "../../lib/platform/aws/s3-object-store.ts";
import { namesOf } from "../../lib/platform/naming/names.ts";
import { sum } from "../../lib/platform/sum.ts";
import { placeOf, type RowPosition } from "../../lib/recommendation/schema/row.ts";
import { loadConfiguration } from "../../lib/settings/load.ts";
import { localKeys } from "../../packages/local/dev/api-key.ts";
import { createBucket, localClients } from "../../packages/local/dev/clients.ts";
import { createDeployedRoles, variablesOfRole } from "../../packages/local/dev/deployed-roles.ts";
import { openPersonalize, startRecommendation } from "../../packages/local/dev/recommendation.ts";
import { createScope } from "../../packages/local/dev/scope.ts";
import { loadBundle } from "../../packages/local-aws/api/load-bundle.ts";
import { ACCOUNT_ID, REGION } from "../../packages/local-aws/cloud/account.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { localFolder } from "../cli/local-world.ts";
import { runHere } from "../cli/run-here.ts";
import { ownCloud } from "../fixtures/cloud.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { EVENTS, ITEMS, SHAPES, type Written, writeMerged, writeShape } from "../fixtures/public-shapes.ts";
import { PERSONALIZE } from "../infrastructure/recommendation-project.ts";
import { readManifest } from "../lib/recommendation/etl/run.ts";
import { suite } from "../suite.ts";

const test = suite("files in the shape of public ones");

const folder = scratchFolder(TEST_OUTPUT, "public-shapes");
const scope = createScope();
const endpoint = Promise.withResolvers<string>();
const cloud = await ownCloud({ standIns: [openPersonalize(folder, endpoint.promise)] });
endpoint.resolve(cloud.endpoint);
Object.assign(process.env, cloud.env);
const local = localFolder(cloud.endpoint);
const conf = join(folder, "conf");

test.after(async () => {
  await scope.close();
  local.remove();
  await cloud.stop();
});

/** Writes the configuration of a project without the search gateway, but for the schemas. */
function writeConfiguration(): void {
  const files = {
    project: { project_name: "shapes", aws: { region_name: REGION }, personalize: PERSONALIZE[2] },
    solution: { recipes: { user_personalization: {} } },
    campaign: { campaigns: { user_personalization: { min_provisioned_tps: 1 } } },
    filter: { filters: [] },
  };
  mkdirSync(conf, { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(conf, `${name}.yaml`), stringify(content));
}

/** Starts what the configuration deploys, and puts its key where the commands look for it. Returns its address and the bucket. */
async function deploy() {
  const configuration = loadConfiguration(conf);
  const { recommendation } = configuration;
  assert.ok(recommendation);
  const names = namesOf({ project: configuration.project.project_name, account: ACCOUNT_ID, region: REGION });
  const clients = localClients(cloud);
  const outdir = join(folder, "functions");
  const files = await functionFiles(configuration, { names });
  await Promise.all([
    buildFunctions({ outdir, functions: functionsOf(configuration), files }),
    createBucket(clients.s3, names.bucket(), REGION),
    createDeployedRoles(cloud, configuration),
  ]);
  const keys = localKeys(folder);
  const { url } = await startRecommendation({
    ...{ cloud, clients, names, configuration, recommendation, outdir, folder, scope, keys },
    ...{ usage: {}, say: () => undefined, onCall: () => undefined },
    loadBundle: async ({ env, ...bundle }) =>
      loadBundle({
        ...bundle,
        env: { ...cloud.env, ...(await variablesOfRole(cloud, names, "recommendation-api")), ...env },
      }),
  });
  process.env.RELEVANCE_API_KEY = keys.own;
  return { target: ["--api-host", url], store: s3ObjectStore(clients.s3, names.bucket()) };
}

/** Runs a command in this process. */
const relevance = (...args: string[]) => runHere(args, process.env as Record<string, string>);

/** Runs a command, and returns what it printed as JSON. */
async function json(...args: string[]) {
  const { out, err, code } = await relevance(...args, "--json");
  assert.ok(out !== "", err);
  return { code, ...JSON.parse(out) };
}

/** Returns the number before a text in messages. Zero without the text. */
function countBefore(text: string, messages: readonly string[]): number {
  const [, found = "0"] = new RegExp(`([\\d,]+) ${text}`).exec(messages.join("\n")) ?? [];
  return Number(found.replaceAll(",", ""));
}

const places = (rows: readonly RowPosition[]) =>
  rows.map(({ line, record }) => ({ line, ...(record !== undefined && { record }) }));

let deployed: Awaited<ReturnType<typeof deploy>>;
const written: Written[] = [];
/** The events that the service accepted, by data set. */
const accepted: number[] = [];

test.before(async () => {
  // The commands look for the local stack from here on.
  process.chdir(local.folder);
  writeConfiguration();
  const { items, events } = writeMerged(folder);
  await json("schema-generation", "--conf", conf, "--item", items, "--interaction", events);
  deployed = await deploy();
});

for (const [index, shape] of SHAPES.entries()) {
  test(`${shape.name}: the commands name what the service rejects, and it accepts all others`, async () => {
    const files = writeShape(shape, folder);
    written.push(files);
    const { items, events, rejectedItems, rejectedEvents, absent } = files;
    const rejected = { items: rejectedItems.length, interactions: rejectedEvents.length };
    const samples = ["--item", items, "--interaction", events];
    const generated = await json("schema-generation", "--conf", join(folder, `conf-${index}`), ...samples);
    assert.equal(generated.rows, { user: 0, item: ITEMS, interaction: EVENTS });
    const { event_types } = generated as { event_types: Record<string, number> };
    assert.is(
      sum(Object.values(event_types), (count) => count),
      EVENTS - rejected.interactions,
    );
    for (const { warnings } of [generated, await json("validate", "--conf", conf, ...samples)]) {
      const refusals: string[] = warnings.filter((warning: string) => warning.includes("The service rejects"));
      assert.equal(
        refusals.map((warning) => warning.split("  ")[0]),
        [
          ...rejectedItems.map((place) => placeOf(items, place)),
          ...rejectedEvents.slice(0, 1).map((place) => placeOf(events, place)),
        ],
      );
      assert.equal(
        [countBefore(`of ${ITEMS} rows`, refusals), countBefore(`of ${EVENTS} rows`, refusals)],
        [rejected.items, rejected.interactions],
      );
      assert.is(countBefore(`of ${EVENTS} events \\(.*\\) name items that`, warnings), absent);
      assert.is(countBefore("event types: beside", warnings), shape.types.length > 8 ? shape.types.length : 0);
    }

    const uploaded = await json("upload-sample", "--items", items, "--interactions", events, ...deployed.target);
    accepted.push(uploaded.interactions.accepted);
    assert.is(uploaded.code, rejected.items + rejected.interactions > 0 ? 1 : 0);
    assert.equal(
      [uploaded.items.accepted + rejected.items, uploaded.interactions.accepted + rejected.interactions],
      [ITEMS, EVENTS],
    );
    assert.equal(places(uploaded.items.rejected_rows), rejectedItems);
    assert.equal(places(uploaded.interactions.rejected_rows), rejectedEvents);
    assert.is(countBefore(`of ${EVENTS} events \\(.*\\) name items that`, uploaded.warnings ?? []), absent);
  });
}

test("a training imports or leaves out each accepted row, once, and its report and status say which", async () => {
  const { target, store } = deployed;
  const [first] = written;
  const again = await json("upload-sample", "--interactions", first?.events ?? "", ...target);
  assert.is(again.interactions.accepted, accepted[0]);
  const trained = await relevance("train", "--local", "--conf", conf, "--training-mode", "init", "--wait");
  assert.is(trained.code, 0, trained.err);
  const [, run = ""] = /^Training (\S+) has started/.exec(trained.err) ?? [];
  const manifest = await readManifest(store, run);
  assert.ok(manifest);
  const { item, interaction, duplicates, event_types_left_out: others } = manifest;
  const rejectedItems = sum(written, (one) => one.rejectedItems.length);
  assert.equal([item.rows + rejectedItems, item.rejected], [SHAPES.length * ITEMS, 0]);
  assert.equal([interaction.rejected, duplicates], [0, accepted[0]]);

  const imported = async ({ files }: typeof item) => {
    const texts = await Promise.all(files.map(({ key }) => readText(store, key)));
    return texts.flatMap((text) => {
      const [header = [], ...lines] = (text ?? "")
        .trimEnd()
        .split("\n")
        .map((line) => line.split(",").map((cell) => cell.replaceAll('"', "")));
      return lines.map((cells) => Object.fromEntries(header.map((column, index) => [column, cells[index]])));
    });
  };
  const stored = new Set((await imported(item)).map(({ ITEM_ID }) => ITEM_ID));
  const rows = await imported(interaction);
  const counts = written.map(({ users, types }) => {
    const own = rows.filter(({ USER_ID = "" }) => users.has(USER_ID));
    return {
      imported: own.length,
      leftOut: sum(types, (type) => others[type] ?? 0),
      unknown: own.filter(({ ITEM_ID }) => !stored.has(ITEM_ID)).length,
    };
  });
  const [rated, , , retail] = counts;
  assert.equal([rated?.leftOut, (retail?.leftOut ?? 0) > 0], [0, true]);
  assert.equal(
    counts.map(({ imported, leftOut }) => imported + leftOut),
    accepted,
  );
  assert.equal([rows.length, stored.size], [interaction.rows, item.rows]);
  const unknown = written.map((one) => one.unknown);
  assert.equal(
    counts.map((one) => one.unknown),
    unknown,
  );
  const all = { leftOut: sum(counts, ({ leftOut }) => leftOut), unknown: sum(unknown, (count) => count) };
  assert.is(manifest.unknown?.items, all.unknown);

  const { left_out, unknown: told } = await json("status", "--local", "--conf", conf);
  assert.is(countBefore("events of \\d+ types are not trained on", [left_out]), all.leftOut);
  const share = `of ${rows.length.toLocaleString("en")} events \\(.*?\\) name items that are not stored`;
  assert.is(countBefore(share, [told]), all.unknown);
  for (const text of [left_out, told]) assert.ok(trained.err.includes(text), trained.err);
});

test.run();
