import { useEffect, useState } from "preact/hooks";
import type { VarietyState } from "../../server/merchandise-kinds.ts";
import { TurnOn, useFocus } from "../parts.tsx";
import { entry, mapping, readMapping } from "../search/mapping.ts";
import { place } from "../state.ts";
import { ChangeView } from "./change-view.tsx";
import { documents } from "./documents.ts";

/** How near-copies among the hits of an index are moved apart. */
export function VarietyPlace() {
  const { value } = documents.variety.value;
  const index = entry.value?.index ?? place.value.index;
  const found = value?.entries.find((one) => one.index === index);
  if (!value) return null;
  if (!found) {
    const what = "Variety moves near-copies apart among the first hits. It needs an entry for the index.";
    const lines = `hybrid_queries:\n  - index: ${index}\n    embedding_mappings: []`;
    return <TurnOn what={what} file="hybrid_search.yaml" lines={lines} />;
  }
  return <Form key={JSON.stringify(found)} {...found} />;
}

interface FormProps {
  index: string;
  variety: VarietyState["entries"][number]["variety"];
}

function Form({ index, variety }: FormProps) {
  const { groups, similarity } = variety ?? {};
  const [form, edit] = useState({
    ...{ field: groups?.field ?? "", max: String(groups?.max ?? 1) },
    ...{ like: similarity?.field ?? "", weight: String(similarity?.weight ?? 0.3) },
  });
  const { field, max, like, weight } = form;
  useEffect(() => void readMapping(place.value.index), []);
  const { keywords } = mapping.value;
  const vectors = (entry.value?.embeddings ?? []).flatMap((one) => (one.kind === "dense" ? [one.field] : []));
  const wanted = {
    ...(field !== "" && { groups: { field, max: Number(max) } }),
    ...(like !== "" && { similarity: { field: like, weight: Number(weight) } }),
  };
  const input = (name: keyof typeof form) => ({
    value: form[name],
    onInput: (event: { currentTarget: HTMLInputElement }) =>
      edit({ ...form, [name]: event.currentTarget.value.trim() }),
  });
  return (
    <section class="column" aria-label="Variety">
      <h2>Near-copies among the hits of {index}</h2>
      <form ref={useFocus()} onSubmit={(event) => event.preventDefault()}>
        <div class="row">
          <label>
            Most hits with the same value
            <input type="number" min={1} max={100} {...input("max")} />
          </label>
          <label class="grow">
            Field with that value
            <input list="keyword-fields" placeholder="brand" {...input("field")} />
          </label>
        </div>
        <div class="row">
          <label class="grow">
            Field by which hits are alike
            <input list="like-fields" placeholder="none" {...input("like")} />
          </label>
          <label>
            Weight against likeness, from 0 to 1
            <input type="number" step="any" min={0} max={1} {...input("weight")} />
          </label>
        </div>
        <Fields id="keyword-fields" names={keywords} />
        <Fields id="like-fields" names={[...vectors, ...keywords]} />
      </form>
      <ChangeView
        name="variety"
        change={{ index, variety: Object.keys(wanted).length > 0 ? wanted : null }}
        texts={place.value.query === "" ? [] : [place.value.query]}
      />
    </section>
  );
}

/** Fields to choose from. Another one can be typed. */
const Fields = ({ id, names }: { id: string; names: readonly string[] }) => (
  <datalist id={id}>
    {names.map((name) => (
      <option key={name} value={name} />
    ))}
  </datalist>
);
