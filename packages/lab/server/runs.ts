import { closeSync, existsSync, openSync, readFileSync, readSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "@relevance/lib/platform/replace-file.ts";
import type { Interval } from "@relevance/lib/platform/statistics/bootstrap.ts";
import * as v from "valibot";
import type { Evaluation } from "../evaluation/evaluate.ts";
import { SettingsFile } from "../evaluation/settings-file.ts";
import { type JudgmentFiles, namesIn } from "./judgment-files.ts";
import { ConsoleError, fitting } from "./problem.ts";
import type { Upstream } from "./proxy.ts";
import { type RunControl, runInThread } from "./run-in-thread.ts";
import type { RunWork, WorkedRun } from "./run-work.ts";
import { tunedBefore } from "./tuned-before.ts";

/** An evaluation, tuning or preview that the page asks for. */
export const SentRun = v.strictObject({
  kind: v.picklist(["evaluate", "tune", "preview"]),
  /** Empty for a preview of texts alone. */
  judgments: v.string(),
  /** Texts that a preview searches for besides the judged ones. */
  texts: v.optional(v.pipe(v.array(v.pipe(v.string(), v.maxLength(500))), v.maxLength(1_000))),
  settings: SettingsFile,
  /** The metrics of an evaluation, or the metric to tune. */
  metrics: v.optional(
    v.pipe(v.string(), v.regex(/^[a-z_@0-9]+(,[a-z_@0-9]+)*$/, "must be metrics with commas between")),
  ),
});
export type SentRun = v.InferOutput<typeof SentRun>;

/** A run as lists show it. */
interface RunSummary {
  id: string;
  kind: SentRun["kind"];
  when: string;
  judgments: string;
  index: string;
}

/** A finished run, as it is stored. */
export interface StoredRun extends RunSummary {
  /** JSON output of the command of the same name. */
  result: unknown;
  /** The heat map of a tuning, as SVG. */
  picture?: string;
}

/** The means of an evaluation. */
export interface RunOverTime {
  id: string;
  when: string;
  /** How many queries were judged. */
  queries: number;
  settings: { name: string; means: Readonly<Record<string, Interval>> }[];
}

export interface Runs {
  /** Returns the latest evaluations of an index by a judgments file, the oldest first. */
  overTime(index: string, judgments: string): Promise<RunOverTime[]>;
  /** Newest first. */
  list(): RunSummary[];
  read(id: string): StoredRun;
  start(sent: SentRun): Promise<StoredRun>;
  progress(): RunProgress;
  /** Ends the run in progress, if there is one. Nothing of it is stored. */
  cancel(): void;
}

/** The run in progress. */
export interface RunProgress {
  running: SentRun["kind"] | null;
  /** Last progress text, such as "hybrid: 40 queries". */
  note: string;
  /** How many variants it has begun, and how many there are. */
  begun: number;
  variants: number;
}

const NO_RUN: RunProgress = { running: null, note: "", begun: 0, variants: 0 };

export interface RunsOptions {
  folder: string;
  judgments: JudgmentFiles;
  gateway: Pick<Upstream, "url" | "key">;
  conf: string;
  /** Works on a run; in a thread if it is not given. */
  work?: (work: RunWork, control: RunControl) => Promise<WorkedRun>;
}

/** Works on runs, one at a time, and stores their results. */
export function createRuns({ folder, judgments, gateway, conf, work = runInThread }: RunsOptions): Runs {
  let progress = NO_RUN;
  let stopping = new AbortController();
  const file = (id: string, extension: string) => {
    if (/^[\dTZ-]{10,30}-(evaluate|tune|preview)$/.test(id)) return join(folder, `${id}.${extension}`);
    throw new ConsoleError(400, "invalid_request", `${JSON.stringify(id)} is not a run`);
  };
  const read = (id: string): StoredRun => {
    if (!existsSync(file(id, "json"))) throw new ConsoleError(404, "not_found", `There is no run ${id}`);
    return JSON.parse(readFileSync(file(id, "json"), "utf8"));
  };

  async function run({ kind, judgments: name, settings, metrics, texts }: SentRun): Promise<StoredRun> {
    const when = new Date().toISOString();
    const id = `${when.replaceAll(/[:.]/g, "-")}-${kind}`;
    // JSON is YAML: the file can be used with the command again.
    replaceFile(file(id, "yaml"), `${JSON.stringify(settings, undefined, 2)}\n`);
    const { url, key } = gateway;
    const { result: printed, picture } = await work(
      {
        ...{ kind, settings, texts, metrics, conf, gateway: { url, key } },
        ...((kind !== "preview" || name !== "") && { judgments: judgments.path(name) }),
      },
      {
        signal: stopping.signal,
        onNote(note) {
          progress = { ...progress, note, begun: progress.begun + 1 };
        },
      },
    );
    const result = JSON.parse(printed);
    if (kind !== "tune") {
      const tunings = list().filter(
        (one) => one.kind === "tune" && one.index === settings.index && one.judgments === name,
      );
      const measured: Partial<Evaluation> | null = kind === "preview" ? result.evaluation : result;
      const doubts = tunedBefore(
        settings,
        measured?.settings ?? [],
        tunings.flatMap(({ id: of }) => fitting(() => read(of).result)),
      );
      result.warnings = [...(result.warnings ?? []), ...doubts];
    }
    const stored: StoredRun = {
      ...{ id, kind, when, judgments: name, index: settings.index, result },
      ...(picture !== undefined && { picture }),
    };
    replaceFile(file(id, "json"), `${JSON.stringify(stored)}\n`);
    return stored;
  }

  const list = () =>
    namesIn(folder, ".json")
      .reverse()
      .flatMap((id) => fitting(() => summaryOf(file(id, "json"))));

  // A result does not change once it is stored, and can have megabytes.
  const means = new Map<string, RunOverTime | undefined>();
  const meansOf = async (id: string): Promise<RunOverTime | undefined> => {
    if (!means.has(id)) {
      const text = await readFile(file(id, "json"), "utf8");
      means.set(id, fitting(() => meansIn(JSON.parse(text)))[0]);
    }
    return means.get(id);
  };

  return {
    list,
    read,
    async overTime(index, name) {
      const wanted = list().filter((run) => run.kind === "evaluate" && run.index === index && run.judgments === name);
      const found: RunOverTime[] = [];
      // One after the other: the console answers other calls in between.
      for (const { id } of wanted.slice(0, MOST_OVER_TIME).reverse()) {
        const one = await meansOf(id);
        if (one) found.push(one);
      }
      return found;
    },
    async start(sent) {
      if (progress.running !== null)
        throw new ConsoleError(409, "busy", "Another evaluation, tuning or preview is in progress: wait for it");
      progress = { running: sent.kind, note: "", begun: 0, variants: sent.settings.settings.length };
      stopping = new AbortController();
      try {
        return await run(sent);
      } finally {
        progress = NO_RUN;
      }
    },
    progress: () => progress,
    cancel: () => stopping.abort(),
  };
}

/** Evaluations that are shown over time: each is a file of its own to read. */
const MOST_OVER_TIME = 50;

/** The part of an evaluation that is shown over time. */
const Means = v.object({
  queries: v.array(v.string()),
  settings: v.array(
    v.object({
      name: v.string(),
      scores: v.record(
        v.string(),
        v.object({ mean: v.object({ mean: v.number(), low: v.number(), high: v.number() }) }),
      ),
    }),
  ),
});

/** Returns the means of a stored evaluation; undefined if it has none, such as that of an older version. */
function meansIn({ id, when, result }: StoredRun): RunOverTime | undefined {
  const found = v.safeParse(Means, result);
  if (!found.success) return undefined;
  return {
    ...{ id, when, queries: found.output.queries.length },
    settings: found.output.settings.map(({ name, scores }) => ({
      name,
      means: Object.fromEntries(Object.entries(scores).map(([metric, { mean }]) => [metric, mean])),
    })),
  };
}

/** Separates a stored run's summary from its result. No text in JSON contains it, because quotes are escaped there. */
const RESULT = ',"result":';
/** Reads what a list shows of a stored run from the beginning of its file: a result can have megabytes. */
function summaryOf(file: string): RunSummary {
  const opened = openSync(file, "r");
  const start = Buffer.alloc(4_096);
  const text = start.toString("utf8", 0, readSync(opened, start));
  closeSync(opened);
  const [summary, rest] = text.split(RESULT, 2);
  if (rest !== undefined) return JSON.parse(`${summary}}`);
  const { id, kind, when, judgments, index }: StoredRun = JSON.parse(readFileSync(file, "utf8"));
  return { id, kind, when, judgments, index };
}
