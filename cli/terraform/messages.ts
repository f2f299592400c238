import { parseJson } from "../../lib/core/json/values.ts";

/** A line of Terraform's `-json` output, as far as it is used here. */
export interface Message {
  type: string;
  "@level"?: string;
  "@message"?: string;
  hook?: Hook;
  diagnostic?: Diagnostic;
}

/** An action on a resource. */
export interface Hook {
  resource?: { addr?: string; resource_type?: string };
  action?: string;
  elapsed_seconds?: number;
}

/** An error or warning. */
export interface Diagnostic {
  severity: "error" | "warning";
  summary: string;
  detail?: string;
  address?: string;
}

/** Parses a line; undefined if it is not a message. */
export function parseMessage(line: string): Message | undefined {
  if (!line.startsWith("{")) return undefined;
  const value = parseJson(line) as Partial<Message> | undefined;
  return typeof value?.type === "string" ? (value as Message) : undefined;
}

/** Returns the diagnostics in the output. Plain text becomes one diagnostic. */
export function diagnosticsOf(stdout: string, stderr: string): Diagnostic[] {
  const found = stdout.split("\n").flatMap((line) => parseMessage(line)?.diagnostic ?? []);
  if (found.length > 0) return found;
  const text = plainError(stderr) || plainError(stdout);
  return text === "" ? [] : [{ severity: "error", summary: text }];
}

/** Extracts the error from Terraform's framed text: `│ Error: …`. */
function plainError(text: string): string {
  const lines = text.split("\n").map((line) => line.replace(/^[│╷╵]\s?/, "").trimEnd());
  const start = lines.findIndex((line) => line.startsWith("Error: "));
  return lines
    .slice(Math.max(0, start))
    .join("\n")
    .replace(/^Error: /, "")
    .trim();
}
