import { useState } from "preact/hooks";
import { useFocus } from "../parts.tsx";
import { documents } from "../search/results.ts";
import { titleOf } from "../search/shown.ts";
import { PageData } from "./page-data.tsx";
import { ProductPicker } from "./product-picker.tsx";
import { type FormRule, nameOf, termOf, textsOf } from "./rule.ts";

interface FormProps {
  rule: FormRule;
  onChange: (rule: FormRule) => void;
}

const linesOf = (text: string) => text.split("\n").filter((line) => line.trim() !== "");

/** When a rule applies and what it does. */
export function RuleForm({ rule, onChange }: FormProps) {
  const { when = {}, effects } = rule;
  const change = (part: Partial<FormRule["effects"]>) => onChange({ ...rule, effects: { ...effects, ...part } });
  const time = (name: "from" | "until") => {
    const value = when[name] ?? "";
    const isDay = /^(\d{4}-\d\d-\d\d)?$/.test(value);
    const onInput = (event: { currentTarget: HTMLInputElement }) =>
      onChange({ ...rule, when: { ...when, [name]: event.currentTarget.value.trim() } });
    return (
      <label>
        {name === "from" ? "From" : "Until"}
        <input {...(isDay ? { type: "date" } : {})} value={value} onInput={onInput} />
      </label>
    );
  };
  const texts = (name: "is" | "contains", title: string) => (
    <Lines
      title={title}
      lines={when.text?.[name] ?? []}
      onChange={(lines) => onChange({ ...rule, when: { ...when, text: { ...when.text, [name]: lines } } })}
    />
  );
  const list = (name: "segments" | "indexes", title: string) => (
    <Lines
      title={title}
      lines={when[name] ?? []}
      onChange={(lines) => onChange({ ...rule, when: { ...when, [name]: lines } })}
    />
  );
  return (
    <form ref={useFocus()} onSubmit={(event) => event.preventDefault()}>
      <div class="row">
        <label class="grow">
          Name
          <input
            value={rule.name}
            placeholder="red-lamp-week"
            spellcheck={false}
            onInput={(event) => onChange({ ...rule, name: nameOf(event.currentTarget.value) })}
          />
        </label>
        {time("from")}
        {time("until")}
      </div>
      <h3>When</h3>
      <div class="row">
        {texts("is", "Searches for exactly these texts, one per line")}
        {texts("contains", "Searches that contain these words, one per line")}
      </div>
      <div class="row">
        {list("segments", "Only for users in these segments, one per line")}
        {list("indexes", "Only in these indexes, one per line")}
      </div>
      {textsOf(rule).length === 0 && (
        <p class="note">
          Without any text, the rule is for every search{when.segments?.length ? " of these users" : ""}.
        </p>
      )}
      <h3>Then</h3>
      <Products rule={rule} change={change} />
      <Weights effects={effects} change={change} />
      <div class="row">
        <label class="grow">
          Search for another text instead
          <input
            dir="auto"
            value={effects.replace_text ?? ""}
            onInput={(event) => change({ replace_text: event.currentTarget.value })}
          />
        </label>
        <label class="grow">
          Redirect to this address
          <input
            value={effects.redirect ?? ""}
            placeholder="/lamps"
            onInput={(event) => change({ redirect: event.currentTarget.value.trim() })}
          />
        </label>
      </div>
      <PageData data={effects.data} onChange={(data) => change({ data })} />
    </form>
  );
}

function Lines({ title, lines, onChange }: { title: string; lines: string[]; onChange: (lines: string[]) => void }) {
  // An empty line is typed before the next text.
  const [typed, type] = useState<string | null>(null);
  const shown = typed !== null && linesOf(typed).join("\n") === lines.join("\n") ? typed : lines.join("\n");
  return (
    <label class="grow">
      {title}
      <textarea
        rows={2}
        dir="auto"
        value={shown}
        onInput={(event) => {
          type(event.currentTarget.value);
          onChange(linesOf(event.currentTarget.value));
        }}
      />
    </label>
  );
}

interface PartProps {
  change: (part: Partial<FormRule["effects"]>) => void;
}

/** Pinned and hidden products, which are picked from a search. */
function Products({ rule, change }: { rule: FormRule } & PartProps) {
  const { pin = [], hide = {} } = rule.effects;
  const ids = hide.ids ?? [];
  const name = (id: string) => titleOf(id, documents.value.get(id));
  const free = (place = 1): number => (pin.some((one) => one.place === place) ? free(place + 1) : place);
  return (
    <>
      <ul class="plain" aria-label="Pinned and hidden">
        {pin.map((one, at) => (
          <li key={one.id} class="line">
            <span class="grow">
              pin <bdi>{name(one.id)}</bdi>
            </span>
            <label class="inline">
              position
              <input
                type="number"
                min={1}
                max={100}
                value={one.place}
                aria-label={`position of ${name(one.id)}`}
                onInput={(event) =>
                  change({ pin: pin.toSpliced(at, 1, { ...one, place: Number(event.currentTarget.value) }) })
                }
              />
            </label>
            <button type="button" class="quiet" onClick={() => change({ pin: pin.toSpliced(at, 1) })}>
              ✕<span class="hidden"> do not pin {name(one.id)}</span>
            </button>
          </li>
        ))}
        {ids.map((id, at) => (
          <li key={id} class="line">
            <span class="grow">
              hide <bdi>{name(id)}</bdi>
            </span>
            <button
              type="button"
              class="quiet"
              onClick={() => change({ hide: { ...hide, ids: ids.toSpliced(at, 1) } })}
            >
              ✕<span class="hidden"> do not hide {name(id)}</span>
            </button>
          </li>
        ))}
      </ul>
      <ProductPicker
        text={textsOf(rule)[0] ?? ""}
        actions={[
          { word: "Pin", run: (id) => change({ pin: [...pin.filter((one) => one.id !== id), { id, place: free() }] }) },
          { word: "Hide", run: (id) => change({ hide: { ...hide, ids: [...ids.filter((one) => one !== id), id] } }) },
        ]}
      />
    </>
  );
}

const KINDS = { boost: "raise", bury: "lower", filter: "show only" } as const;

/** Products that are raised, lowered, or the only ones, by the value of a field. */
function Weights({ effects, change }: { effects: FormRule["effects"] } & PartProps) {
  const [{ kind, field, value, by }, edit] = useState({
    kind: "boost" as keyof typeof KINDS,
    field: "",
    value: "",
    by: "2",
  });
  const add = () => {
    const filter = { term: { [field.trim()]: value.trim() } };
    if (kind === "filter") change({ filter });
    else change({ [kind]: [...(effects[kind] ?? []), { filter, by: Number(by) }] });
  };
  const said = (filter: unknown) => {
    const term = termOf(filter);
    return term ? `${term.field} is ${term.value}` : JSON.stringify(filter);
  };
  return (
    <>
      <ul class="plain" aria-label="Raised, lowered and filtered">
        {(["boost", "bury"] as const).flatMap((one) =>
          (effects[one] ?? []).map((weighted, at) => (
            <li key={`${one}${JSON.stringify(weighted)}`} class="line">
              <span class="grow">
                {KINDS[one]} by {weighted.by} where {said(weighted.filter)}
              </span>
              <button type="button" class="quiet" onClick={() => change({ [one]: effects[one]?.toSpliced(at, 1) })}>
                ✕<span class="hidden"> take away where {said(weighted.filter)}</span>
              </button>
            </li>
          )),
        )}
        {effects.filter && (
          <li class="line">
            <span class="grow">show only where {said(effects.filter)}</span>
            <button type="button" class="quiet" onClick={() => change({ filter: {} })}>
              ✕<span class="hidden"> take the filter away</span>
            </button>
          </li>
        )}
      </ul>
      <div class="row">
        <label>
          Products by the value of a field
          <select
            value={kind}
            onChange={(event) =>
              edit({ ...{ kind, field, value, by }, kind: event.currentTarget.value as typeof kind })
            }
          >
            {Object.entries(KINDS).map(([one, word]) => (
              <option key={one} value={one}>
                {word}
              </option>
            ))}
          </select>
        </label>
        <label>
          Field
          <input
            value={field}
            onInput={(event) => edit({ ...{ kind, field, value, by }, field: event.currentTarget.value })}
          />
        </label>
        <label>
          Value
          <input
            value={value}
            onInput={(event) => edit({ ...{ kind, field, value, by }, value: event.currentTarget.value })}
          />
        </label>
        {kind !== "filter" && (
          <label>
            Factor
            <input
              type="number"
              min={1}
              step="any"
              value={by}
              onInput={(event) => edit({ ...{ kind, field, value, by }, by: event.currentTarget.value })}
            />
          </label>
        )}
        <button type="button" disabled={field.trim() === "" || value.trim() === ""} onClick={add}>
          Add
        </button>
      </div>
    </>
  );
}
