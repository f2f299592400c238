import { signal } from "@preact/signals";
import type { Evaluation } from "../../evaluation/evaluate.ts";
import type { StoredRun } from "../../server/runs.ts";
import type { Tuning } from "../../tuning/tune.ts";
import { callConsole } from "../api.ts";
import { legs, variants } from "../search/results.ts";
import { settingsFileOf } from "../search/variants.ts";
import { announce, goTo, place } from "../state.ts";

type RunName = Omit<StoredRun, "result" | "picture">;

/** A run with its result; `id` is empty for a file that the user opened. */
export type Shown = Omit<StoredRun, "result"> &
  ({ kind: "evaluate"; result: Evaluation } | { kind: "tune"; result: Tuning });

export const runs = signal<RunName[]>([]);
export const shown = signal<Shown | null>(null);
export const progress = signal<{ running: StoredRun["kind"] | null; error: string }>({ running: null, error: "" });

const fail = (error: unknown) => {
  progress.value = { running: null, error: (error as Error).message };
};

export async function readRuns(): Promise<void> {
  try {
    runs.value = (await callConsole<{ runs: RunName[] }>("GET", "/api/runs")).runs;
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
export async function start(kind: StoredRun["kind"], metrics: string): Promise<void> {
  const { index, judgments } = place.value;
  progress.value = { running: kind, error: "" };
  try {
    const settings = settingsFileOf(variants.value, { index, legs: legs.value });
    const sent = { kind, judgments, settings, ...(metrics !== "" && { metrics }) };
    shown.value = await callConsole<Shown>("POST", "/api/runs", sent);
    progress.value = { running: null, error: "" };
    announce(kind === "tune" ? "The tuning is done" : "The evaluation is done");
    goTo({ run: shown.value.id });
    await readRuns();
  } catch (error) {
    fail(error);
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
