import { createHash } from "node:crypto";
import { MIN_INTERACTIONS, MIN_USERS_WITH_TWO, trainingLimits, USUAL_IMPORT_BYTES } from "../../personalize/limits.ts";
import { type ObjectStore, readText } from "../../platform/aws/object-store.ts";
import { DATASETS } from "../../platform/contract/recommendation.ts";
import { shareText } from "../../platform/share.ts";
import { sum } from "../../platform/sum.ts";
import { countLine } from "../../platform/telemetry/emf.ts";
import { BuiltInReport } from "../built-in/report.ts";
import { schemaHash } from "../etl/plan.ts";
import { errorKey, findFile, readFile, runKeys } from "../etl/run-files.ts";
import { type EventCheck, type Manifest, RunPlan } from "../etl/tasks.ts";
import { requireManifest, type TrainingContext, TrainingError } from "./context.ts";

/** Facts about a run's data that the next steps need. */
interface CheckedData {
  /** Digest of the data. */
  data: string;
  /** By recipe: the number of users with at least two interactions that the recipe learns from. */
  users: Record<string, number>;
}

/** Checks that Personalize takes a run's events and that every recipe has enough of them. Throws TrainingError if not. */
export async function checkData(
  run: string,
  checks: readonly EventCheck[],
  context: Pick<TrainingContext, "store" | "state" | "settings" | "print" | "now">,
): Promise<CheckedData> {
  const { store, state } = context;
  const manifest = await requireManifest(store, run);
  const untrained = await whyUntrained(run, context);
  const lacking = lacks(manifest, checks);
  const leftOut = leftOutOf(manifest);
  if (lacking.length > 0) {
    const { from, to } = manifest;
    throw new TrainingError(
      `There is not enough data to train from ${from} to ${to}. ${lacking.join(". ")}. Nothing was imported. ` +
        `Upload more events, or change target_event_type or event_value_threshold in solution.yaml and deploy${
          leftOut === undefined ? "" : `. ${leftOut}`
        }`,
    );
  }
  const unknown = unknownOf(manifest);
  const recipes = Object.values(context.settings.recipes).flatMap((recipe) => recipe?.recipe_name ?? []);
  const large = largeOf(manifest, recipes);
  await state.saveData({
    run,
    ...(large !== undefined && { large }),
    ...(leftOut !== undefined && { left_out: leftOut }),
    ...(unknown !== undefined && { unknown }),
    ...(untrained !== undefined && { untrained }),
  });
  const users = manifest.checks.map(({ name, users_with_two }) => [name, users_with_two] as const);
  return { data: await dataDigest(manifest, store), users: Object.fromEntries(users) };
}

/** Name of the metric that counts runs which could not train the built-in engine, by `Project`. An alarm watches it. */
export const UNTRAINED_ENGINES = "UntrainedEngines";

/** Returns why a run did not train the built-in engine, counts and logs it. Undefined if it did. */
async function whyUntrained(
  run: string,
  { store, settings, print, now }: Pick<TrainingContext, "store" | "settings" | "print" | "now">,
): Promise<string | undefined> {
  const { builtIn } = runKeys(run);
  if (await findFile(store, builtIn, BuiltInReport)) return undefined;
  const reason = (await readText(store, errorKey(builtIn))) ?? "it left no reason; see the log of etl";
  const message = `The built-in engine was not trained, so what it learned before is in use: ${reason}`;
  print(countLine({ Project: settings.project }, UNTRAINED_ENGINES, 1, now()));
  print(JSON.stringify({ level: "WARN", message, run }));
  return message;
}

/** Describes which minimums a run's data misses, one message for each recipe and minimum. Empty if all can train. */
export function lacks(
  {
    checks: counted,
    event_types,
    event_types_left_out,
  }: Pick<Manifest, "checks" | "event_types" | "event_types_left_out">,
  checks: readonly EventCheck[],
): string[] {
  return checks.flatMap(({ name, event_type, event_value_threshold }) => {
    const found = counted.find((one) => one.name === name);
    if (!found) return [`${name}: the run has not counted its events`];
    if (event_type !== undefined && !event_types[event_type]) {
      return [
        `${name}: no event has the target_event_type "${event_type}"; there are ${typesOf({ ...event_types, ...event_types_left_out })}`,
      ];
    }
    const which = [
      event_type === undefined ? "" : ` of type "${event_type}"`,
      event_value_threshold === undefined ? "" : ` with a value of ${event_value_threshold} or more`,
    ].join("");
    const { interactions, users, users_with_two } = found;
    const fewest = Math.max(MIN_USERS_WITH_TWO.count, Math.ceil(users * MIN_USERS_WITH_TWO.share));
    return [
      ...(interactions < MIN_INTERACTIONS
        ? [
            `${name}: there are ${number(interactions)} interactions${which}, but ${number(MIN_INTERACTIONS)} are needed`,
          ]
        : []),
      ...(users_with_two < fewest
        ? [
            `${name}: ${number(users_with_two)} users have at least two interactions${which}, ` +
              `but ${number(fewest)} are needed${fewest > MIN_USERS_WITH_TWO.count ? ", one in a hundred" : ""}`,
          ]
        : []),
    ];
  });
}

/** Returns a message about events that a run leaves out because of their types. Undefined if it imports all. */
export function leftOutOf({ event_types_left_out: types }: Pick<Manifest, "event_types_left_out">): string | undefined {
  const counts = Object.values(types);
  if (counts.length === 0) return undefined;
  return (
    `${number(sum(counts, (count) => count))} events of ${counts.length} types are not trained on: ${typesOf(types)}. ` +
    "They stay stored: event_types of solution.yaml says which types go to Personalize"
  );
}

/** Usage ratio of a limit from which training warns. */
const NEAR = 0.8;

/**
 * Returns a message about Personalize limits that a run's data is near or exceeds with these recipes. Undefined if
 * none.
 */
export function largeOf(
  manifest: Pick<Manifest, "user" | "item" | "interaction">,
  recipes: readonly string[],
): string | undefined {
  const sentences = [
    ...[...new Set(recipes)].flatMap((recipe) => {
      const { interactions, items, adjustable } = trainingLimits(recipe);
      const raise = adjustable ? "ask AWS to raise the quota, or " : "";
      return [
        ...near(manifest.interaction.rows, interactions, "interactions", recipe, `${raise}shorten log_lookback_days`),
        ...near(manifest.item.rows, items, "items", recipe, "remove items that are not offered any more"),
      ];
    }),
    ...DATASETS.flatMap((dataset) => {
      const gigabytes = sum(manifest[dataset].files, ({ bytes }) => bytes) / 1e9;
      if (gigabytes < NEAR * (USUAL_IMPORT_BYTES / 1e9)) return [];
      return [
        `The ${dataset}s have ${number(Math.round(gigabytes))} GB, and Personalize imports ${USUAL_IMPORT_BYTES / 1e9} GB of a dataset at ` +
          "once by default: ask AWS to raise the quota, or import less",
      ];
    }),
  ];
  return sentences.length > 0 ? sentences.join(". ") : undefined;
}

function near(rows: number, most: number, what: string, recipe: string, advice: string): string[] {
  if (rows < NEAR * most) return [];
  return [
    `There are ${number(rows)} ${what}, and a training of ${recipe} considers ${number(most)} of them: ${advice}`,
  ];
}

/** Returns a message about events with unknown users or items. Undefined if there are none. */
export function unknownOf({
  unknown: { items, users, examples },
  interaction,
}: Pick<Manifest, "unknown"> & { interaction: Pick<Manifest["interaction"], "rows"> }): string | undefined {
  const of = (count: number) => shareText(count, interaction.rows, "events");
  const sentences = [
    ...(items > 0
      ? [
          `${of(items)} name items that are not stored, such as ${examples.map((id) => JSON.stringify(id)).join(", ")}: ` +
            "training learns from them, but they are never recommended. Upload these items, or compare the ids",
        ]
      : []),
    ...(users > 0 ? [`${of(users)} name users that are not stored`] : []),
  ];
  return sentences.length > 0 ? sentences.join(". ") : undefined;
}

function typesOf(types: Readonly<Record<string, number>>): string {
  const listed = Object.entries(types).sort(([, a], [, b]) => b - a);
  if (listed.length === 0) return "no events at all: upload some with /log-event";
  const shown = listed.slice(0, 20).map(([type, count]) => `"${type}" (${number(count)})`);
  return `${shown.join(", ")}${listed.length > shown.length ? ` and ${listed.length - shown.length} more` : ""}`;
}

const number = (value: number) => value.toLocaleString("en");

/** The most bytes of users and items to read and compare. Larger data always counts as changed. */
const MOST_BYTES = 2 * 1_024 ** 3;

/**
 * Returns a short digest of the data that a run imports. Two runs over the same events, users and items in the same
 * mode have the same digest. A training that is started again uses it to find what the earlier run made.
 */
export async function dataDigest(manifest: Manifest, store: ObjectStore): Promise<string> {
  const keys = runKeys(manifest.run);
  const { definitions, groups } = await readFile(store, keys.plan, RunPlan);
  const hash = createHash("sha256");
  const leavesOut = Object.keys(manifest.event_types_left_out).length > 0;
  const types = leavesOut ? [Object.keys(manifest.event_types).sort()] : [];
  hash.update(JSON.stringify([manifest.mode, schemaHash(definitions), manifest.interaction.rows, groups, ...types]));
  const files = [...manifest.user.files, ...manifest.item.files];
  if (files.reduce((sum, { bytes }) => sum + bytes, 0) > MOST_BYTES) hash.update(manifest.run);
  else {
    for (const { key } of files) {
      hash.update(key.slice(keys.root.length));
      const content = await store.read(key);
      if (!content) throw new Error(`${key} is in the manifest of ${manifest.run}, but not in the bucket`);
      for await (const chunk of content) hash.update(chunk);
    }
  }
  return hash.digest("hex").slice(0, 16);
}
