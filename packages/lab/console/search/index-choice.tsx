import { signal } from "@preact/signals";
import { useEffect, useId, useState } from "preact/hooks";
import { callService } from "../api.ts";
import { setup } from "../state.ts";

/** Documents of each index that was counted; undefined where the key may not count. */
const counts = signal<ReadonlyMap<string, number | undefined>>(new Map());

async function count(index: string): Promise<void> {
  if (counts.value.has(index)) return;
  const put = (documents: number | undefined) => {
    counts.value = new Map([...counts.value, [index, documents]]);
  };
  put(undefined);
  const path = `/raw-backend/${encodeURIComponent(index)}/_count`;
  await callService<{ count: number }>({ service: "gateway", method: "GET", path }).then(
    ({ body }) => put(body.count),
    () => undefined,
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  onChange: (index: string) => void;
}

/** Chooses an index of hybrid_search.yaml from a list with counts of documents, or names another one. */
export function IndexChoice({ label, value, onChange }: ChoiceProps) {
  const id = useId();
  const [isOther, other] = useState(false);
  const configured = (setup.value?.indexes ?? []).map(({ index }) => index).filter((index) => !index.endsWith("*"));
  const names = [...new Set([...configured, value])].filter((name) => name !== "");
  useEffect(() => names.forEach((name) => void count(name)), [names.join()]);
  const text = (name: string) => {
    const documents = counts.value.get(name);
    return documents === undefined ? name : `${name} (${documents.toLocaleString("en")} documents)`;
  };
  return (
    <label for={id}>
      {label}
      {isOther || names.length === 0 ? (
        <input
          id={id}
          value={value}
          spellcheck={false}
          onChange={(event) => {
            onChange(event.currentTarget.value.trim());
            other(false);
          }}
        />
      ) : (
        <select
          id={id}
          value={value}
          onChange={({ currentTarget }) => (currentTarget.value === "" ? other(true) : onChange(currentTarget.value))}
        >
          {names.map((name) => (
            <option key={name} value={name}>
              {text(name)}
            </option>
          ))}
          <option value="">another index …</option>
        </select>
      )}
    </label>
  );
}
