import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import * as v from "valibot";
import { SettingsFile } from "../evaluation/settings-file.ts";
import { type JudgmentFiles, namesIn } from "./judgment-files.ts";
import { ConsoleError } from "./problem.ts";
import type { Upstream } from "./proxy.ts";
import { replace } from "./replace.ts";

/** A run of `relevance evaluate` or `relevance tune` that the page asks for. */
export const SentRun = v.strictObject({
  kind: v.picklist(["evaluate", "tune"]),
  judgments: v.string(),
  settings: SettingsFile,
  /** The metrics of an evaluation, or the metric to tune. */
  metrics: v.optional(
    v.pipe(v.string(), v.regex(/^[a-z_@0-9]+(,[a-z_@0-9]+)*$/, "must be metrics with commas between")),
  ),
});
export type SentRun = v.InferOutput<typeof SentRun>;

/** What a list shows of a run. */
interface RunSummary {
  id: string;
  kind: SentRun["kind"];
  when: string;
  judgments: string;
  index: string;
}

/** A finished run, as it is stored. */
export interface StoredRun extends RunSummary {
  /** What the command printed with `--json`. */
  result: unknown;
  /** The heat map of a tuning, as SVG. */
  picture?: string;
}

export interface Runs {
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
  /** What the command said last, such as "hybrid: 40 queries". */
  note: string;
  /** How many variants it has begun, and how many there are. */
  begun: number;
  variants: number;
}

const NO_RUN: RunProgress = { running: null, note: "", begun: 0, variants: 0 };

export interface RunsOptions {
  folder: string;
  judgments: JudgmentFiles;
  gateway: Upstream;
  conf: string;
  /** The program and its first arguments that run a command of `relevance`. */
  command: readonly [string, ...string[]];
  /** The environment of the program. */
  env: Readonly<Record<string, string | undefined>>;
}

/** Runs commands of `relevance` as programs, one at a time, and stores what they print. The key is in their environment. */
export function createRuns({ folder, judgments, gateway, conf, command, env }: RunsOptions): Runs {
  let progress = NO_RUN;
  let stopping = new AbortController();
  const file = (id: string, extension: string) => {
    if (/^[\dTZ-]{10,30}-(evaluate|tune)$/.test(id)) return join(folder, `${id}.${extension}`);
    throw new ConsoleError(400, "invalid_request", `${JSON.stringify(id)} is not a run`);
  };
  const read = (id: string): StoredRun => {
    if (!existsSync(file(id, "json"))) throw new ConsoleError(404, "not_found", `There is no run ${id}`);
    return JSON.parse(readFileSync(file(id, "json"), "utf8"));
  };

  async function run({ kind, judgments: name, settings, metrics }: SentRun): Promise<StoredRun> {
    const when = new Date().toISOString();
    const id = `${when.replaceAll(/[:.]/g, "-")}-${kind}`;
    // JSON is YAML: the file can be used with the command again.
    replace(file(id, "yaml"), `${JSON.stringify(settings, undefined, 2)}\n`);
    const picture = file(id, "svg");
    const args = [
      ...[kind, "--json", "--conf", conf, "--api-host", gateway.url],
      ...["--settings", file(id, "yaml"), "--judgments", judgments.path(name)],
      ...(metrics === undefined ? [] : [kind === "tune" ? "--metric" : "--metrics", metrics]),
      ...(kind === "tune" ? ["--picture", picture] : []),
    ];
    const printed = await output([...command, ...args], {
      env: { ...env, RELEVANCE_API_KEY: gateway.key },
      signal: stopping.signal,
      onNote: (note) => {
        progress = { ...progress, note, begun: progress.begun + 1 };
      },
    });
    const result = JSON.parse(printed);
    const stored: StoredRun = {
      ...{ id, kind, when, judgments: name, index: settings.index, result },
      ...(existsSync(picture) && { picture: readFileSync(picture, "utf8") }),
    };
    replace(file(id, "json"), `${JSON.stringify(stored)}\n`);
    return stored;
  }

  return {
    list: () =>
      namesIn(folder, ".json")
        .reverse()
        .map((id) => summaryOf(file(id, "json"))),
    read,
    async start(sent) {
      if (progress.running !== null)
        throw new ConsoleError(409, "busy", "Another evaluation or tuning is in progress: wait for it");
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

interface Output {
  env: RunsOptions["env"];
  signal: AbortSignal;
  /** Called with each line that the command says beside its result. */
  onNote(line: string): void;
}

async function output(command: readonly string[], { env, signal, onNote }: Output): Promise<string> {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { env: { ...env }, stdio: ["ignore", "pipe", "pipe"] });
  const stop = () => child.kill();
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  createInterface(child.stderr).on("line", onNote);
  const [out, notes, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  if (signal.aborted) throw new ConsoleError(409, "stopped", "Stopped. Nothing was stored.");
  if (code === 0) return out;
  throw new ConsoleError(422, "failed", notes.trim() || `the command ended with ${code}`);
}
