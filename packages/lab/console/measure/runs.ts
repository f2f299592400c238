import { signal } from "@preact/signals";
import type { Evaluation } from "../../evaluation/evaluate.ts";
import type { RunProgress, StoredRun } from "../../server/runs.ts";
import type { Tuning } from "../../tuning/tune.ts";
import { callConsole } from "../api.ts";
import { measured, subqueries } from "../search/results.ts";
import { settingsFileOf } from "../search/variants.ts";
import { announce, goTo, place } from "../state.ts";

type RunName = Omit<StoredRun, "result" | "picture">;

/** A run with its result; `id` is empty for a file that the user opened. */
export type Shown = Omit<StoredRun, "result"> &
  ({ kind: "evaluate"; result: Evaluation } | { kind: "tune"; result: Tuning });

export const runs = signal<RunName[]>([]);
export const shown = signal<Shown | null>(null);
export const progress = signal<{ running: Shown["kind"] | null; error: string }>({ running: null, error: "" });
/** How far the run in progress is, as the server says. */
export const far = signal<RunProgress | null>(null);

const POLL_MS = 500;

/** Reads how far the run in progress is until it ends, also one that another tab has started. */
export async function follow(): Promise<void> {
  try {
    far.value = await callConsole<RunProgress>("GET", "/api/runs/progress");
    if (far.value.running !== null) setTimeout(() => void follow(), POLL_MS);
    else if (progress.value.running === null) await readRuns();
  } catch {
    // The run's own call fails as well, and is shown.
    far.value = null;
  }
}

/** Ends the run in progress. */
export async function cancel(): Promise<void> {
  try {
    await callConsole("POST", "/api/runs/cancel");
  } catch (error) {
    fail(error);
  }
}

const fail = (error: unknown) => {
  progress.value = { running: null, error: (error as Error).message };
};

export async function readRuns(): Promise<void> {
  try {
    const found = (await callConsole<{ runs: RunName[] }>("GET", "/api/runs")).runs;
    // A preview is about a change that may be in use by now.
    runs.value = found.filter(({ kind }) => kind !== "preview");
  } catch (error) {
    fail(error);
  }
}

export async function readRun(id: string): Promise<void> {
  if (id === "") return;
  try {
    shown.value = await callConsole<Shown>("GET", `/api/run?id=${encodeURIComponent(id)}`);
  } catch (error) {
    fail(error);
  }
}

/** Runs `relevance evaluate` or `relevance tune` on the chosen judgments and the variants of the page. */
export async function start(kind: Shown["kind"], metrics: string): Promise<void> {
  const { index, judgments } = place.value;
  progress.value = { running: kind, error: "" };
  try {
    const settings = settingsFileOf(measured.value, { index, subqueries: subqueries.value });
    const sent = { kind, judgments, settings, ...(metrics !== "" && { metrics }) };
    const ended = callConsole<Shown>("POST", "/api/runs", sent);
    setTimeout(() => void follow(), POLL_MS);
    shown.value = await ended;
    progress.value = { running: null, error: "" };
    announce(kind === "tune" ? "The tuning is done" : "The evaluation is done");
    goTo({ run: shown.value.id });
    await readRuns();
  } catch (error) {
    fail(error);
  } finally {
    // Without waiting for the next poll: nothing runs any more.
    far.value = null;
  }
}

/** Shows what `relevance evaluate --json` or `relevance tune --json` printed into a file. */
export async function openFile(file: File): Promise<void> {
  try {
    const result = JSON.parse(await file.text());
    const kind = "verdict" in result ? "evaluate" : "best" in result ? "tune" : undefined;
    if (kind === undefined) throw new Error(`${file.name} is not what evaluate or tune prints with --json`);
    const origin = { id: "", when: "", judgments: file.name, index: place.value.index };
    shown.value = { ...origin, kind, result };
    progress.value = { running: null, error: "" };
  } catch (error) {
    fail(error);
  }
}
