import * as assert from "uvu/assert";
import { createTerminal } from "../../cli/terminal.ts";

/** A terminal that keeps its notes and takes no results. */
export function notingTerminal() {
  let text = "";
  const out = { write: () => assert.unreachable("only notes") };
  return { terminal: createTerminal(out, { write: (part: string) => (text += part) }, true), text: () => text };
}
