import { spawnSync } from "node:child_process";

/** What a run of the CLI printed, and its exit code. */
export interface Run {
  out: string;
  err: string;
  code: number | null;
}

/** Runs the CLI through its launcher, without a terminal. */
export function relevance(args: readonly string[], env: Readonly<Record<string, string>> = {}): Run {
  const { NO_COLOR: _, FORCE_COLOR: __, ...inherited } = process.env;
  const { stdout, stderr, status, error } = spawnSync(process.execPath, ["cli/relevance.mjs", ...args], {
    encoding: "utf8",
    env: { ...inherited, COLUMNS: "100", ...env },
  });
  if (error) throw error;
  return { out: stdout, err: stderr, code: status };
}
