import { existsSync, readFileSync } from "node:fs";

/** Names the process that wants to know what a test file cost. */
export const USAGE_ENV = "RELEVANCE_TEST_RUNNER";

/** Starts the line with the processor seconds of a file that has a process of its own. No test prints this character. */
export const USAGE = "\u001d";

/** Clock ticks of a second, which Linux shows to programs as 100 on every machine. */
const TICKS = 100;

/** Returns the processor seconds of this process and, on Linux, of all programs that it has waited for. */
export function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000 + childrensSeconds();
}

function childrensSeconds(): number {
  const file = "/proc/self/stat";
  if (!existsSync(file)) return 0;
  // The name of the program, in parentheses, may contain spaces; after it, fields 14 and 15 are of the children.
  const [, fields = ""] = /\) (.*)/.exec(readFileSync(file, "utf8")) ?? [];
  const [user, system] = fields.split(" ").slice(13, 15);
  return (Number(user) + Number(system)) / TICKS;
}

/** Splits the output of a file from its processor seconds, which are undefined if it was killed. */
export function usageOf(output: string): { output: string; processor?: number } {
  const at = output.lastIndexOf(USAGE);
  if (at < 0) return { output };
  return { output: output.slice(0, at), processor: Number.parseFloat(output.slice(at + 1)) };
}
