import type { Paint } from "./plan/summary/format.ts";
import type { Colors } from "./terminal.ts";

/** Returns the paint for plan summaries in these colours. */
export function paintWith({ bold, green, yellow, red, cyan, dim }: Colors): Paint {
  const actions = { create: green, update: yellow, replace: red, delete: red, forget: dim, import: cyan };
  return { heading: bold, action: (action, text) => actions[action](text), warning: red, detail: dim };
}
