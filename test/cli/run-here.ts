import { runProgram } from "../../cli/program.ts";
import { reportError } from "../../cli/report-error.ts";
import { createTerminal } from "../../cli/terminal.ts";
import { toolVersion } from "../../cli/version.ts";
import type { Run } from "./run-cli.ts";

/**
 * Runs the CLI in this process, in the way of `cli/main.ts`: starting one takes a third of a second of processor time. No
 * file imports another in a circle, so a command loads in a process of its own as it does here. The tests of `main.ts`
 * start real processes, and so does a test of most commands, which would hang if the command left work behind.
 */
export async function runHere(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Run> {
  const run = { out: "", err: "" };
  const out = { write: (text: string) => (run.out += text) };
  const err = { write: (text: string) => (run.err += text) };
  const terminal = createTerminal(out, err, true);
  const code = await runProgram(args, toolVersion(), { terminal, env }).catch((error: unknown) =>
    reportError(error, args, terminal),
  );
  return { ...run, code };
}
