import { useState } from "preact/hooks";
import type { DefaultsChange, SentDefaults } from "../../server/index-defaults.ts";
import { callConsole } from "../api.ts";
import { Problem } from "../parts.tsx";
import { entryFor } from "../search/results.ts";
import { announce, setup } from "../state.ts";
import { diffOf } from "./diff.ts";

const SIGNS = { same: " ", removed: "-", added: "+" } as const;

/** Writes settings into hybrid_search.yaml, after it has shown what would change. */
export function DefaultsView({ index, defaults }: { index: string; defaults: SentDefaults["defaults"] }) {
  const [change, show] = useState<DefaultsChange | null>(null);
  const [state, set] = useState({ error: "", isWritten: false });
  const entry = entryFor(index)?.index;
  if (entry === undefined) return null;
  const call = async (what: "preview" | "write") => {
    try {
      const sent: SentDefaults = {
        index: entry,
        defaults,
        ...(what === "write" && change && { version: change.version }),
      };
      show(await callConsole<DefaultsChange>("POST", `/api/defaults/${what}`, sent));
      set({ error: "", isWritten: what === "write" });
      announce(what === "write" ? "Written" : "The change is shown");
    } catch (error) {
      set({ error: (error as Error).message, isWritten: false });
    }
  };
  const file = change?.file.split("/").slice(-2).join("/");
  const lines = change ? diffOf(change.before, change.after) : [];
  return (
    <div class="defaults">
      <Problem text={state.error} />
      {!change && (
        <button type="button" onClick={() => void call("preview")}>
          Write to hybrid_search.yaml …
        </button>
      )}
      {change && (
        <>
          <p class="note">{file}</p>
          <pre class="diff">
            {lines.map(({ kind, text }, line) => (
              <span key={`${line}${kind}`} class={kind}>{`${SIGNS[kind]} ${text}\n`}</span>
            ))}
          </pre>
          {lines.length === 0 && <p class="note">{file} has these settings already.</p>}
          {state.isWritten ? (
            <p class="note" role="status">
              Written to {file}. {setup.value?.local ? "Restart `make dev`" : "Run `relevance deploy`"} to use them.
            </p>
          ) : (
            <div class="row">
              <button type="button" class="primary" disabled={lines.length === 0} onClick={() => void call("write")}>
                Write this change
              </button>
              <button type="button" onClick={() => show(null)}>
                Cancel
              </button>
            </div>
          )}
        </>
      )}
    </div>
  );
}
