import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import * as v from "valibot";
import type { Personalize } from "../../lib/personalize/resources/personalize.ts";
import { chunks } from "../../lib/platform/aws/call.ts";
import { listed, type ObjectStore, readText } from "../../lib/platform/aws/object-store.ts";
import { isObject, parseJson } from "../../lib/platform/json/values.ts";
import type { Names, StreamName } from "../../lib/platform/naming/names.ts";
import { DELETIONS, PREFIXES } from "../../lib/platform/naming/object-keys.ts";
import { requestLogType } from "../../lib/platform/request-log/kinds.ts";
import { loggedForms } from "../../lib/platform/request-log/user-ids.ts";
import { concurrently } from "../../lib/platform/resilience/concurrently.ts";
import { ANONYMOUS } from "../../lib/recommendation/records/layout.ts";
import { DeletionFailed, runDeletionJob } from "./deletion-job.ts";
import { EVENTS, eventSessions, LISTS, logSessions, ownSessions } from "./person-sessions.ts";
import { belongs, type LineRule, rewriteLines } from "./rewrite-lines.ts";
import type { Line } from "./sessions.ts";

/** Objects between two writes of the progress. */
const CHUNK = 32;
/** Objects in memory at a time; Firehose writes at most 128 MB of text to one. */
const AT_ONCE = 4;

export interface Forgetting {
  user: string;
  names: Names;
  project: string;
  /** The project's bucket. */
  objects: ObjectStore;
  /** Deletes every version of the objects below a prefix and returns their number. */
  purge: (prefix: string) => Promise<number>;
  /** Absent without the recommendation service. */
  recommendation?: {
    personalize: Personalize;
    /** Deletes the user's record; returns false if there was none. */
    deleteRecord: () => Promise<boolean>;
    /** Deletes what the built-in engine learned of sessions. */
    deleteSessions: (sessions: readonly string[]) => Promise<void>;
    /** Throws Failure while a training is running: it would read what is being deleted. */
    refuseTraining: () => Promise<void>;
  };
  requestLog: {
    /** Reads the key of the hashed user ids; undefined if there is none. */
    hashKey: () => Promise<string | undefined>;
    /** Removes lines from the queues of those that could not be delivered. Returns their number. */
    rewriteQueues: (isTheirs: (line: Buffer) => boolean) => Promise<number>;
  };
  note: (line: string) => void;
  /** Milliseconds between two polls of Personalize. */
  pollMs: number;
}

/** Result of a deletion step. */
interface Forgotten {
  step: StepName;
  did: string;
}

/**
 * Deletes one user's data, step by step. Saves its progress in the bucket: after any interruption, a repeat resumes
 * there. Prints counts, never the id.
 */
export async function forget(work: Forgetting): Promise<Forgotten[]> {
  const { objects, purge, user, project, note } = work;
  const person = pseudonym(project, user);
  const key = progressKey(person);
  const progress = await readProgress(objects, key);
  const save = () => objects.write(key, JSON.stringify(progress));
  for (const step of STEPS) {
    if (progress.done[step] !== undefined) note(`${TITLES[step]}: done before`);
    else {
      if (work.recommendation && step !== "request-log") await work.recommendation.refuseTraining();
      const did = await RUN[step]({ work, person, progress, save });
      if (did === undefined) continue;
      note(`${TITLES[step]}: ${did}`);
      progress.done[step] = did;
      delete progress.cursor;
      await save();
    }
  }
  const done = STEPS.flatMap((step) => (progress.done[step] === undefined ? [] : [{ step, did: progress.done[step] }]));
  await purge(`${PREFIXES.forget}${person}.`);
  return done;
}

/** The steps in words. */
export const TITLES: Readonly<Record<StepName, string>> = {
  record: "record of the user",
  events: "events",
  etl: "results of ETL",
  batch: "lists of relevance batch",
  "request-log": "request logs and search events",
  personalize: "Personalize",
};

interface StepInput {
  work: Forgetting;
  person: string;
  progress: Progress;
  save: () => Promise<void>;
}

/** The steps. Each can be repeated. Undefined if the service is not configured. */
const RUN: Readonly<Record<StepName, (input: StepInput) => Promise<string | undefined>>> = {
  // First: a change that waits in the queue holds only the id, and realtime-sync skips an id without a record.
  record: async ({ work: { recommendation } }) =>
    recommendation && ((await recommendation.deleteRecord()) ? "deleted" : "there was none"),

  // Training compares the number of lines with that of accepted events, so each line is replaced, not removed.
  events: async ({ work, person, ...rest }) => {
    if (!work.recommendation) return undefined;
    const { all } = await eventSessions(work, person);
    const sessions = new Set(all);
    const rule = {
      ...{ namesOf: (line: Line) => [line.USER_ID], ids: [work.user], replacement: "{}" },
      sessions: {
        text: `"${ANONYMOUS}":true`,
        isTheirs: (line: Line) => EVENTS.isAnonymous(line) && sessions.has(String(line.USER_ID)),
      },
    };
    const { objects, rewritten, lines } = await rewriteAll({ work, person, ...rest, step: "events", rule });
    return `${counted(lines, "event")} replaced in ${rewritten} of ${counted(objects, "object")}`;
  },

  etl: async ({ work }) =>
    work.recommendation && `${counted(await work.purge(PREFIXES.etl), "object version")} deleted`,

  batch: async ({ work, ...rest }) => {
    if (!work.recommendation) return undefined;
    const rule = {
      // In a list, and in the input and output of Personalize's job.
      namesOf: ({ user_id, userId, input }: Line) => [user_id, userId, isObject(input) ? input.userId : undefined],
      ids: [work.user],
    };
    const { objects, rewritten, lines } = await rewriteAll({ work, ...rest, step: "batch", rule });
    return `${counted(lines, "line")} removed from ${rewritten} of ${counted(objects, "object")}`;
  },

  "request-log": async ({ work, person, ...rest }) => {
    const hashKey = await work.requestLog.hashKey();
    const forms = (id: string) => loggedForms(id, hashKey);
    const sessions = new Set(await logSessions(work, person, forms));
    const rule = {
      ...{ namesOf: (line: Line) => [line.user_id], ids: forms(work.user) },
      sessions: {
        text: requestLogType("recommendation"),
        isTheirs: (line: Line) => LISTS.counts(line) && LISTS.isAnonymous(line) && sessions.has(String(line.user_id)),
      },
    };
    // First: a message that comes back becomes an object, which is read then.
    const waiting = await work.requestLog.rewriteQueues((line) => belongs(line, rule));
    const { objects, rewritten, lines } = await rewriteAll({ work, person, ...rest, step: "request-log", rule });
    const queued = waiting > 0 ? `, and ${counted(waiting, "line")} from queues` : "";
    return `${counted(lines, "line")} removed from ${rewritten} of ${counted(objects, "object")}${queued}`;
  },

  personalize: async ({ work, person, progress, save }) => {
    const { recommendation, names, objects, user, note, pollMs, purge } = work;
    if (!recommendation) return undefined;
    const csv = `${DELETIONS}${person}.csv`;
    if (progress.job === undefined) {
      progress.job = `${work.project}-forget-${person}-${Date.now().toString(36)}`;
      await save();
    }
    const sessions = ownSessions(await eventSessions(work, person));
    await recommendation.deleteSessions(sessions);
    const ids = [user, ...sessions];
    await objects.write(csv, `USER_ID\n${ids.map((id) => `"${id.replaceAll('"', '""')}"\n`).join("")}`);
    const { personalize } = recommendation;
    const name = progress.job;
    const onCreated = () =>
      note(`${TITLES.personalize}: waiting for the data deletion job ${name}, which may take a day`);
    try {
      const existed = await runDeletionJob({ personalize, names, name, csv, pollMs, onCreated });
      await purge(csv);
      return existed ? `data deletion job ${name} completed` : "there is no dataset group";
    } catch (error) {
      if (error instanceof DeletionFailed) {
        // A failed job stays failed: the next run needs another one.
        delete progress.job;
        await Promise.all([save(), purge(csv)]);
      }
      throw error;
    }
  },
};

const undelivered = (streams: readonly StreamName[]) => streams.map((name) => `${PREFIXES.deliveryErrors}${name}/`);

/** The prefixes that a step rewrites: what was stored, and what could not be delivered. `etl/` is deleted. */
export const REWRITTEN = {
  events: [PREFIXES.events, ...undelivered(["events"])],
  batch: [PREFIXES.batch],
  "request-log": [PREFIXES.logs, ...undelivered(["search-logs", "search-events", "recommendation-logs"])],
} as const;

async function rewriteAll({
  work: { objects, note },
  progress,
  save,
  step,
  rule,
}: StepInput & { step: keyof typeof REWRITTEN; rule: LineRule }): Promise<Counts> {
  const cursor = progress.cursor?.step === step ? progress.cursor : undefined;
  const counts = cursor?.counts ?? { objects: 0, rewritten: 0, lines: 0 };
  if (cursor) note(`${TITLES[step]}: resuming after ${counted(counts.objects, "object")}`);
  const found = await Promise.all(REWRITTEN[step].map((prefix) => listed(objects, prefix)));
  const all = found.flat().map(({ key }) => key);
  const keys = all.sort().filter((key) => key > (cursor?.after ?? ""));
  for (const chunk of chunks(keys, CHUNK)) {
    const rewritten = await concurrently(chunk, AT_ONCE, (key) => rewriteObject(objects, key, rule));
    counts.objects += chunk.length;
    counts.rewritten += rewritten.filter((lines) => lines > 0).length;
    counts.lines += rewritten.reduce((sum, lines) => sum + lines, 0);
    progress.cursor = { step, after: chunk.at(-1) ?? "", counts };
    await save();
    note(`  ${counted(counts.objects, "object")} read`);
  }
  return counts;
}

/** Returns the number of lines that belonged to the person. */
async function rewriteObject(objects: ObjectStore, key: string, rule: LineRule): Promise<number> {
  const stream = await objects.read(key);
  // Expired since it was listed.
  if (!stream) return 0;
  const rewritten = rewriteLines(await buffer(stream), rule);
  if (!rewritten) return 0;
  await objects.write(key, rewritten.body);
  return rewritten.lines;
}

function counted(number: number, what: string): string {
  return `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;
}

/** The steps of `relevance forget`, in order. */
const STEPS = ["record", "events", "etl", "batch", "request-log", "personalize"] as const;

/** One of these steps. */
type StepName = (typeof STEPS)[number];

const Counts = v.object({ objects: v.number(), rewritten: v.number(), lines: v.number() });

/** Objects read and rewritten, and lines replaced or removed. */
type Counts = v.InferOutput<typeof Counts>;

const Progress = v.object({
  /** Results of the finished steps. */
  done: v.optional(v.record(v.picklist(STEPS), v.string()), {}),
  /** The last object of an unfinished step that was read, and the counts so far. */
  cursor: v.optional(v.object({ step: v.picklist(STEPS), after: v.string(), counts: Counts })),
  /** Name of the data deletion job. */
  job: v.optional(v.string()),
});

/** How far a deletion has come. Contains no personal data. */
type Progress = v.InferOutput<typeof Progress>;

/** A name that stands for a person where the id itself must not be written. */
function pseudonym(project: string, user: string): string {
  return createHash("sha256").update(`${project}\n${user}`).digest("hex").slice(0, 16);
}

/** Key of the progress in the bucket. */
const progressKey = (person: string) => `${PREFIXES.forget}${person}.json`;

/** Reads the progress of an interrupted deletion; that of a new one if there is none. */
async function readProgress(objects: ObjectStore, key: string): Promise<Progress> {
  const parsed = v.safeParse(Progress, parseJson((await readText(objects, key)) ?? "{}"));
  return parsed.success ? parsed.output : { done: {} };
}
