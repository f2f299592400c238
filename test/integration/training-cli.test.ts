import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { parse } from "yaml";
import { batchServices } from "../../cli/recommendation/batch-services.ts";
import { readText } from "../../lib/platform/aws/object-store.ts";
import { loadConfiguration } from "../../lib/settings/load.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import { localFolder } from "../cli/local-world.ts";
import { ROOT } from "../fixtures/env.ts";
import { permittedUser } from "../fixtures/permitted-user.ts";
import { removeShopKey } from "../fixtures/shop-key.ts";
import { filterInput } from "../lib/personalize/resources/inputs.ts";
import { event } from "../lib/recommendation/etl/run.ts";
import { campaignsOf, NEWSLETTER, newsletterFor } from "../lib/recommendation/training/newsletter.ts";
import { tasteEvents } from "../lib/recommendation/training/taste-events.ts";
import { type TrainingWorld, trainingWorld } from "../lib/recommendation/training/world.ts";
import { suite } from "../suite.ts";

const test = suite("relevance train, status and list");

const { filters } = parse(readFileSync(join(ROOT, "conf.local", "filter.yaml"), "utf8"));

let world: TrainingWorld;
let local: ReturnType<typeof localFolder>;

type Item = Readonly<Record<string, string>>;

test.before(async () => {
  // The project of conf.local.
  world = await trainingWorld({ project: "demo" });
  // Each command is started in a process of its own once.
  local = localFolder(world.cloud.endpoint);
});

test.after(async () => {
  local.remove();
  await world.stop();
});

const LEFT_OUT =
  '5 events of 5 types are not trained on: "noise07" (1), "noise08" (1), "noise09" (1), "noise10" (1), "noise11" (1). ' +
  "They stay stored: event_types of solution.yaml says which types go to Personalize.";

const READ = 'EXCLUDE ItemID WHERE Interactions.EVENT_TYPE IN ("view")';

test("status before anything is deployed says which command deploys it", async () => {
  assert.equal(await local.run("status", "--local"), {
    out: "There is no dataset group demo: `relevance deploy` creates it.\n",
    err: "",
    code: 0,
  });
  assert.is((await local.run("list", "--local")).out, "This project has no resources in Personalize.\n");
});

/** Wrong options of `train`, each with a part of the message. */
const REFUSED: readonly [options: string[], message: string][] = [
  [
    ["--recipes", "user_personalisation", "--training-mode", "init"],
    "there are user_personalization, similar_items, personalized_ranking; did you mean user_personalization?",
  ],
  [["--training-mode", "full"], "argument 'full' is invalid. Allowed choices are init, update_dataset_group."],
  [[], "--training-mode is missing: init or update_dataset_group"],
  [["--accept", "--training-mode", "init"], "cannot be used with option '--training-mode <mode>'"],
];

test("rejects wrong words before anything starts, and lists the allowed ones", async () => {
  for (const [options, message] of REFUSED) {
    const { out, err, code } = await local.runHere("train", "--local", ...options);
    assert.equal([code, out], [2, ""]);
    assert.match(err, message);
  }
});

test("says how to start a local stack if there is none", async () => {
  const nowhere = localFolder(undefined);
  const { err, code } = await nowhere.runHere("status", "--local");
  nowhere.remove();
  assert.is(code, 1);
  assert.match(err, "The local stack is not running (there is no .local/dev.json): start it with `make dev`");
});

test("a training that fails ends with exit code 1 and the reason, which status shows with what to do", async () => {
  await world.deployPersonalize();
  await world.setEvents(tasteEvents(60, 10));
  const { err, out, code } = await local.runHere("train", "--local", "--training-mode", "init", "--wait");
  assert.equal([code, out], [1, ""]);
  assert.match(err, /The training init-\d{14}-\w{4} failed: There is not enough data to train/);
  assert.match(err, "Upload more events, or change target_event_type");
  const status = await local.runHere("status", "--local");
  assert.match(status.out, /\nTraining\ninit-\d{14}-\w{4} \(init: .*\), started .*, failed\n/);
  assert.match(status.out, "There is not enough data to train");
  assert.match(status.out, "`relevance train` starts it again and resumes where it stopped.");
});

test("--wait shows progress and how each recipe ended", async () => {
  await world.setProfiles(40, 100);
  // With "view", 13 event types: more than Personalize takes.
  const noise = Array.from({ length: 12 }, (_, index) => `noise${String(index).padStart(2, "0")}`);
  const others = noise.map((EVENT_TYPE) => event(EVENT_TYPE, { EVENT_TYPE }));
  await world.setEvents([...tasteEvents(60, 20), ...others]);
  const args = ["--recipes", "similar_items,user_personalization", "--training-mode", "init", "--wait"];
  const { out, err, code } = await local.run("train", "--local", ...args);
  assert.is(code, 0, err);
  assert.equal(out.trimEnd().split("\n"), [
    "user_personalization: the new version is active (no earlier version to compare with)",
    "similar_items: the new version is active (no earlier version to compare with)",
  ]);
  assert.match(
    err,
    /^Training init-\d{14}-\w{4} has started: user_personalization, similar_items. Ctrl-C leaves it running.\n/,
  );
  assert.match(err, `All recipes of this run serve their new versions. ${LEFT_OUT}`);
  assert.match(err, /^00:\d\d:\d\d {2}imports: /m);
  assert.match(err, /^00:\d\d:\d\d {2}recipes: user_personalization: /m);
});

test("status shows the filter table with its five columns and everything else, in JSON too", async () => {
  await world.manage("create", filterInput(world.names, "unread", READ));
  const { out, code } = await local.runHere("status", "--local");
  assert.is(code, 0);
  const lines = out.split("\n");
  const header = lines[lines.indexOf("Filters") + 1];
  assert.equal(header?.split(/ {2,}/), ["Name", "ARN", "Status", "Filter Expression", "Last Updated"]);
  const row = lines[lines.indexOf("Filters") + 3]?.split(/ {2,}/) ?? [];
  const name = world.names.filter("unread", READ);
  assert.equal(row.slice(0, 4), [name, `arn:aws:personalize:eu-west-1:123456789012:filter/${name}`, "ACTIVE", READ]);
  assert.match(row[4] ?? "", /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ$/);
  for (const title of ["Dataset group", "Datasets", "Event tracker", "Solutions", "Campaigns", "Training"]) {
    assert.ok(lines.includes(title), title);
  }
  assert.match(
    out,
    /similar_items +demo-similar-items-\w{8} +v-\w{12}-1 +ACTIVE +\d\.\d{4} +\d\.\d{4} +\d\.\d{4} +active/,
  );
  assert.match(out, /user_personalization +demo-user-personalization +ACTIVE +1 +/);
  assert.match(out, `Training\nnone is running\n${LEFT_OUT.slice(0, -1)}\n`);

  const json = await local.runHere("status", "--local", "--json");
  const { dataset_group, filters, solutions, training, left_out, held } = JSON.parse(json.out);
  assert.equal([dataset_group.name, filters[0].expression, training, held], ["demo", READ, null, {}]);
  assert.is(`${left_out}.`, LEFT_OUT);
  assert.ok(solutions[0].versions[0].metrics.normalized_discounted_cumulative_gain_at_25 > 0);
});

test("status says why a model is held back and how to switch to it, and --accept switches", async () => {
  const known = await world.state.recipe("similar_items");
  assert.ok(known?.active);
  const held = [{ ...known.active, reason: "a larger drop than the tolerance of 10 % allows" }];
  await world.state.saveRecipe("similar_items", { held, revision: known.revision + 1 });
  const { out: shown } = await local.runHere("status", "--local");
  assert.match(
    shown,
    "similar_items: a larger drop than the tolerance of 10 % allows. To switch anyway: relevance train --accept similar_items",
  );
  const { out, err, code } = await local.runHere("train", "--local", "--accept", "similar_items", "--wait");
  assert.is(code, 0, err);
  assert.is(out, "similar_items: the new version is active (accepted with relevance train --accept)\n");
  const again = await local.runHere("train", "--local", "--accept", "similar_items", "--wait");
  assert.is(again.code, 1);
  assert.match(again.err, "No version of similar_items is held back; `relevance status` lists those that are");
  assert.equal((await world.state.recipe("similar_items"))?.active?.version, known.active.version);
});

test("list shows every resource with its ARN", async () => {
  const { out } = await local.runHere("list", "--local", "--json");
  const { personalize } = JSON.parse(out);
  const kinds = personalize.map(({ kind }: { kind: string }) => kind);
  assert.equal(kinds, [
    "dataset group",
    ...Array(3).fill("schema"),
    ...Array(3).fill("dataset"),
    "event tracker",
    "filter",
    ...["solution", "solution version", "solution", "solution version"],
    ...["campaign", "campaign"],
  ]);
  assert.ok(personalize.every(({ arn }: { arn: string }) => arn.startsWith("arn:aws:personalize:")));
  const { out: text } = await local.runHere("list", "--local");
  assert.is(text.trimEnd().split("\n").length, kinds.length + 2);
});

test("batch makes the lists that the online answer has, user by user, and joins nothing that is finished", async () => {
  const { names } = world;
  for (const name of ["category", "unseen"]) {
    const expression = filters.find((one: Item) => one.name === name)?.expression ?? "";
    await world.manage("create", filterInput(names, name, expression));
  }
  removeShopKey(join(local.folder, "conf.local"));
  const places = join(local.folder, "conf.local", "recommendation.yaml");
  writeFileSync(places, JSON.stringify({ placements: [NEWSLETTER, { name: "similar", recipe: "similar_items" }] }));
  const refusal = async (placement: string) =>
    (await local.runHere("batch", "--local", "--placement", placement, "--users", "none.csv")).err;
  assert.match(await refusal("newsletter"), "there is no placement newsletter in use; there are: none");
  assert.is((await local.runHere("placements", "apply", "--local")).code, 0);
  assert.match(await refusal("similar"), "a batch has no page");
  assert.match(await refusal("newsletter"), "none.csv is not a file");

  const users = [...Array.from({ length: 60 }, (_, user) => `U${user}`), "nobody", 'Zoë "Z", 1'];
  const cells = users.map((id) => `"${id.replaceAll('"', '""')}"`);
  await world.store.write("subscribers.csv", ["USER_ID", ...cells, cells[0]].join("\n"));
  const args = ["--placement", "newsletter", "--users", `s3://${world.bucket}/subscribers.csv`];
  const { out, err, code } = await local.run("batch", "--local", ...args);
  assert.is(code, 0, err);
  assert.match(err, "62 lists, 0 of them degraded; 0 users without a list");
  assert.is(err.match(/Batch inference job demo-batch-\w{12}-1-\d: created/g)?.length, 3, err);
  const text = (await readText(world.store, out.trim().replace(`s3://${world.bucket}/`, ""))) ?? "";
  const lists = new Map(
    text
      .trim()
      .split("\n")
      .map((line) => [JSON.parse(line).user_id, JSON.parse(line)]),
  );
  assert.equal([...lists.keys()].sort(), users.toSorted());

  const config = await loadConfiguration(join(local.folder, "conf.local"));
  const { recommendation } = config;
  assert.ok(recommendation);
  const placements = { version: 1, content: recommendation.placements };
  const online = {
    ...batchServices({ ...config, recommendation }, names, world.dynamo, placements),
    campaigns: campaignsOf(world),
  };
  const variants = new Set<string>();
  for (const user_id of users) {
    const { response, degraded } = await newsletterFor(online, user_id);
    const { recommendation_id, ...rest } = response;
    assert.equal(lists.get(user_id), { user_id, ...rest, ...(degraded && { degraded }) }, user_id);
    assert.match(String(recommendation_id), /^RID-/);
    variants.add(response.placement.variant);
    assert.is(response.items.length, response.placement.variant === "short" ? 4 : 8);
    const promoted = response.items.filter(({ CATEGORIES }: Item) => CATEGORIES === "c1").length;
    if (response.placement.variant === "long") assert.is(promoted, 4, "half of the list");
    assert.not.ok(
      response.items.some(({ CATEGORIES }: Item) => CATEGORIES === "c3"),
      "out of stock",
    );
  }
  assert.equal([...variants].sort(), ["long", "short"]);

  // With nothing but the policies that are printed for it.
  const user = await permittedUser(world.cloud, local.folder, ["plan", "batch"]);
  const again = await user.start("batch", ...args, "--json").ended;
  // Popular items are read for a placement that falls back on them. Here are no tags, no key and no large object.
  assert.equal(await user.report(), {
    refused: [],
    unneeded: [
      ...["ReadRecords dynamodb:GetItem", "TagResources personalize:TagResource", "WriteEncrypted kms:GenerateDataKey"],
      "WriteLists s3:AbortMultipartUpload",
    ],
  });
  assert.match(again.err, /demo-batch-\w{12}-2-1: created/);
  assert.equal(JSON.parse(again.out).users, 62);
});

test("refuses a second training while one runs, and status shows the first", async () => {
  world.holdClock();
  const executionArn = await world.start("other", { mode: "update_dataset_group" });
  // It runs when its first step has begun.
  const out = await waitFor(
    async () => {
      const status = await local.runHere("status", "--local");
      return !status.out.includes("\nTraining\nnone is running") && status.out;
    },
    { what: "the first training", timeoutMs: 60_000 },
  );
  const { err, code } = await local.runHere("train", "--local", "--training-mode", "init");
  const shown = out.slice(out.indexOf("\nTraining\n"));
  world.releaseClock();
  await world.ended(executionArn);
  assert.is(code, 1, shown);
  assert.match(err, /^The training other has been running since \d{4}-/);
  assert.match(
    shown,
    /other \(update_dataset_group: user_personalization, similar_items, personalized_ranking\), started/,
  );
});

test.run();
