import { setup } from "./state.ts";

/** How to fix a problem, on the local stack and on a deployed one, by the code of the error. */
const ADVICE: Readonly<Record<string, readonly [local: string, deployed: string]>> = {
  index_not_found: [
    "`make dev` fills the demo's index unless it has --no-demo. For your own documents: `relevance index create`, then POST /application/bulk.",
    "Create it with `relevance index create` and fill it with POST /application/bulk.",
  ],
  not_trained: ["Run `make demo-train` in another terminal.", "Run `relevance train`."],
  unreachable: ["Start `make dev` again.", "Check the URL and whether this machine reaches it."],
};

/** OpenSearch's own name for an error. */
const NATIVE: Readonly<Record<string, string>> = { index_not_found_exception: "index_not_found" };

/** Returns the command that fixes an error; undefined if none is known. */
export function adviceOn(code: string | undefined): string | undefined {
  const advice = code === undefined ? undefined : ADVICE[NATIVE[code] ?? code];
  return advice?.[setup.value?.local ? 0 : 1];
}
