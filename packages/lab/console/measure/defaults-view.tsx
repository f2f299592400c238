import { useState } from "preact/hooks";
import type { DefaultsChange, SentDefaults } from "../../server/index-defaults.ts";
import { callConsole } from "../api.ts";
import { PreviewView } from "../merchandise/preview-view.tsx";
import { Problem } from "../parts.tsx";
import { entryFor } from "../search/mapping.ts";
import { sentSettings } from "../search/variants.ts";
import { announce, setup } from "../state.ts";
import { Diff } from "./diff-view.tsx";

interface DefaultsProps {
  index: string;
  defaults: SentDefaults["defaults"];
  /** False if a tuning says to keep the current settings. */
  isSupported?: boolean;
}

/** Writes settings into hybrid_search.yaml, after it has shown what would change. */
export function DefaultsView({ index, defaults, isSupported = true }: DefaultsProps) {
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
  const { candidates: _, ...techniques } = defaults;
  const isSame = change?.before === change?.after;
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
          <Diff before={change.before} after={change.after} />
          {!isSame && (
            <PreviewView
              of={JSON.stringify([entry, defaults])}
              texts={[]}
              draft={async () => ({ settings: sentSettings(techniques) })}
              // The column may search with the new weights already.
              today={{ settings: {} }}
            />
          )}
          {isSame && <p class="note">{file} has these settings already.</p>}
          {state.isWritten ? (
            <p class="note" role="status">
              Written to {file}. {setup.value?.local ? "Restart `make dev`" : "Run `relevance deploy`"} to use them.
            </p>
          ) : (
            <div class="row">
              <button
                type="button"
                class={isSupported ? "primary" : ""}
                disabled={isSame}
                onClick={() => void call("write")}
              >
                Write this change{!isSupported && " anyway"}
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
