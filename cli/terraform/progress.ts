import { type Message, parseMessage } from "./messages.ts";

const DONE: Readonly<Record<string, string>> = {
  create: "created",
  update: "changed",
  delete: "deleted",
  read: "read",
};

/** Time between two progress lines for the same resource. */
const STILL_SECONDS = 30;

/** Returns the progress line for a line of `terraform apply -json`; undefined for most lines. */
export function progressLine(line: string): string | undefined {
  const message = parseMessage(line);
  return message && textOf(message);
}

function textOf({ type, hook, diagnostic }: Message): string | undefined {
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
      return `${address}: failed`;
    case "diagnostic":
      return diagnostic?.severity === "warning" ? `warning: ${diagnostic.summary}` : undefined;
    default:
      return undefined;
  }
}
