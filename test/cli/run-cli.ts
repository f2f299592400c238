import { execFile, spawnSync } from "node:child_process";

/** What a run of the CLI printed, and its exit code. */
export interface Run {
  out: string;
  err: string;
  code: number | null;
}

/** Runs the CLI through its launcher, without a terminal. */
export function relevance(args: readonly string[], env: Readonly<Record<string, string>> = {}): Run {
  const { stdout, stderr, status, error } = spawnSync(process.execPath, [LAUNCHER, ...args], {
    encoding: "utf8",
    env: { ...plainEnv(), ...env },
  });
  if (error) throw error;
  return { out: stdout, err: stderr, code: status };
}

/** Does the same beside this process, which can serve the CLI meanwhile. */
export function relevanceBeside(args: readonly string[]): Promise<Run> {
  return new Promise((done) => {
    execFile(process.execPath, [LAUNCHER, ...args], { env: plainEnv() }, (error, out, err) => {
      done({ code: Number(error?.code ?? 0), out, err });
    });
  });
}

const LAUNCHER = "cli/relevance.mjs";

function plainEnv(): Readonly<Record<string, string | undefined>> {
  const { NO_COLOR: _, FORCE_COLOR: __, ...inherited } = process.env;
  return { ...inherited, COLUMNS: "100" };
}
