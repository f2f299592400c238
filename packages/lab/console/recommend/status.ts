import { signal } from "@preact/signals";
import { callConsole } from "../api.ts";
import { setup } from "../state.ts";

interface Version {
  arn: string;
  name: string;
  status: string;
  failure_reason?: string;
  metrics?: Record<string, number>;
  last_updated?: string;
}

interface Solution {
  name: string;
  recipe: string | null;
  versions: Version[];
}

/** The parts of `relevance status --json` that the page shows. */
export interface Status {
  training: {
    run: string;
    mode: string;
    recipes: string[];
    startedAt: string;
    note?: { step: string; detail: string };
  } | null;
  filters: { name: string; status: string; expression: string; failure_reason?: string }[];
  campaigns: { name: string; status: string; solution_version_arn: string }[];
  solutions: Solution[];
}

/** Latest data, and the error if reading it again failed. */
export const status = signal<{ value: Status | null; error: string }>({ value: null, error: "" });

/** Reads the trainings, models and filters, where the server can. */
export async function readStatus(): Promise<void> {
  if (!setup.value?.can.status) return;
  try {
    status.value = { value: await callConsole<Status>("GET", "/api/status"), error: "" };
  } catch (error) {
    status.value = { ...status.value, error: (error as Error).message };
  }
}

/** Returns every version of every model, the newest first. */
export function versionsOf({ solutions }: Status): { solution: Solution; version: Version }[] {
  const all = solutions.flatMap((solution) => solution.versions.map((version) => ({ solution, version })));
  return all.sort((a, b) => (b.version.last_updated ?? "").localeCompare(a.version.last_updated ?? ""));
}

/** Formats an ISO 8601 time to the minute, such as 2026-01-02 03:04 UTC. */
export const dayAndTime = (time = ""): string => (time === "" ? "" : `${time.slice(0, 16).replace("T", " ")} UTC`);
