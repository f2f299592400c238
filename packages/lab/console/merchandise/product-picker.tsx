import { useState } from "preact/hooks";
import { Problem } from "../parts.tsx";
import { findDocuments } from "../search/find-documents.ts";
import { documents } from "../search/results.ts";
import { titleOf } from "../search/shown.ts";
import { place } from "../state.ts";

interface PickerProps {
  /** An action on a product: button label and handler. */
  actions: readonly { word: string; run: (id: string) => void }[];
  /** Initial search text. */
  text: string;
}

/** Finds products by a search without rules, since a hidden one must be found as well. */
export function ProductPicker({ actions, text }: PickerProps) {
  const [typed, type] = useState<string | null>(null);
  const [found, show] = useState<{ ids: string[]; error: string } | null>(null);
  const query = typed ?? text;
  const search = async () => {
    try {
      show({ ids: await findDocuments(place.value.index, query), error: "" });
    } catch (error) {
      show({ ids: [], error: (error as Error).message });
    }
  };
  return (
    <div class="picker">
      <div class="row">
        <label class="grow">
          Find products
          <input
            type="search"
            dir="auto"
            data-first={text === "" ? undefined : true}
            value={query}
            onInput={(event) => type(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter") return;
              // The form around it is about the rule.
              event.preventDefault();
              void search();
            }}
          />
        </label>
        <button type="button" disabled={query.trim() === ""} onClick={() => void search()}>
          Find
        </button>
      </div>
      <Problem text={found?.error ?? ""} />
      {found && found.error === "" && found.ids.length === 0 && <p class="note">Nothing found.</p>}
      {found && found.ids.length > 0 && (
        <ul class="plain" aria-label="Found products">
          {found.ids.map((id) => (
            <li key={id} class="line">
              <span class="grow" dir="auto">
                {titleOf(id, documents.value.get(id))} <code>{id}</code>
              </span>
              {actions.map(({ word, run }) => (
                <button key={word} type="button" onClick={() => run(id)}>
                  {word}
                  <span class="hidden"> {titleOf(id, documents.value.get(id))}</span>
                </button>
              ))}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
