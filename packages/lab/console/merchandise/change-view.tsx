import { useState } from "preact/hooks";
import type { Setting } from "../../evaluation/settings-file.ts";
import type { FileChange } from "../../server/merchandise.ts";
import { callConsole } from "../api.ts";
import { Diff } from "../measure/diff-view.tsx";
import { Problem } from "../parts.tsx";
import { entry } from "../search/mapping.ts";
import { announce } from "../state.ts";
import { applyChange, checkChange, type DocumentName } from "./documents.ts";
import { PreviewView } from "./preview-view.tsx";

interface ChangeProps {
  name: DocumentName;
  /** The change to send; undefined while the form is incomplete. */
  change: unknown;
  /** Texts that the change is about. */
  texts: readonly string[];
  /** Called when the change is in use, also after the place was left. */
  onApplied?: () => void;
}

/** Shows a change as a difference, tries it on searches, and puts it into use. */
export function ChangeView({ name, change, texts, onApplied }: ChangeProps) {
  const [seen, show] = useState<{ of: string; value: FileChange } | null>(null);
  const [state, set] = useState({ error: "", isBusy: false });
  const of = JSON.stringify(change ?? null);
  // Another change needs another look.
  const checked = seen?.of === of ? seen.value : undefined;
  const doing = async (work: () => Promise<void>) => {
    set({ error: "", isBusy: true });
    try {
      await work();
      set({ error: "", isBusy: false });
    } catch (error) {
      set({ error: (error as Error).message, isBusy: false });
    }
  };
  const look = () =>
    doing(async () => {
      const value = await checkChange(name, change);
      show({ of, value });
      announce(value.problems.length > 0 ? "The change has problems" : "The change is shown");
    });
  const apply = ({ version }: FileChange) =>
    doing(async () => {
      if (!(await applyChange(name, change, version))) return;
      show(null);
      onApplied?.();
    });
  const draft = async () => {
    const sent = { change, index: entry.value?.index ?? "" };
    return (await callConsole<{ setting: Partial<Setting> }>("POST", `/api/${name}/draft`, sent)).setting;
  };
  return (
    <div class="change">
      {!checked && (
        <button
          type="button"
          class="primary"
          disabled={change === undefined || state.isBusy}
          onClick={() => void look()}
        >
          Look at the change
        </button>
      )}
      <Problem text={state.error} />
      {checked && (
        <>
          <Problem text={checked.problems.join("\n")} />
          <p class="note">{checked.file}</p>
          <Diff before={checked.before} after={checked.after} />
          {checked.problems.length === 0 && (
            <>
              <PreviewView of={of} texts={texts} draft={draft} />
              <div class="row">
                <button
                  type="button"
                  class="primary"
                  disabled={state.isBusy || checked.before === checked.after}
                  onClick={() => void apply(checked)}
                >
                  {state.isBusy ? "Putting it into use …" : "Put it into use"}
                </button>
              </div>
            </>
          )}
        </>
      )}
    </div>
  );
}
