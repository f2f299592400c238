import { parseJson } from "../../lib/platform/json/values.ts";

/** A line of Terraform's `-json` output, as far as it is used here. */
interface Message {
  type: string;
  "@level"?: string;
  "@message"?: string;
  hook?: Hook;
  diagnostic?: Diagnostic;
}

/** An action on a resource. */
interface Hook {
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
function parseMessage(line: string): Message | undefined {
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

const DONE: Readonly<Record<string, string>> = {
  create: "created",
  update: "changed",
  delete: "deleted",
  read: "read",
};

/** Time between two progress lines for the same resource. */
const STILL_SECONDS = 30;

/**
 * Returns the progress line for a line of `terraform apply -json`; undefined for most lines. After an interruption Terraform
 * calls what it gave up an error, too.
 */
export function progressLine(line: string, interrupted = false): string | undefined {
  const message = parseMessage(line);
  return message && textOf(message, interrupted);
}

function textOf({ type, hook, diagnostic }: Message, interrupted: boolean): string | undefined {
  const address = hook?.resource?.addr ?? "";
  const seconds = hook?.elapsed_seconds ?? 0;
  switch (type) {
    case "apply_start":
      // Quick actions only print a line when they finish.
      return undefined;
    case "apply_progress":
      return seconds > 0 && seconds % STILL_SECONDS === 0
        ? `${address}: still in progress (${hook?.action}, ${seconds} s)`
        : undefined;
    case "apply_complete":
      if (hook?.resource?.resource_type === undefined || hook.action === "read" || hook.action === "noop")
        return undefined;
      return `${address}: ${DONE[hook.action ?? ""] ?? hook.action}${seconds >= 2 ? ` (${seconds} s)` : ""}`;
    case "apply_errored":
      return `${address}: ${interrupted ? "interrupted" : "failed"}`;
    case "diagnostic":
      return diagnostic?.severity === "warning" ? `warning: ${diagnostic.summary}` : undefined;
    default:
      return undefined;
  }
}
