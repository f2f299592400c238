import { wordsOf } from "@relevance/lib/platform/words.ts";
import { useEffect, useState } from "preact/hooks";
import { Curl, Problem, saveFile } from "../parts.tsx";
import { goTo, otherIndex, place, setup } from "../state.ts";
import { ColumnView, isSearching } from "./column-view.tsx";
import { comparison } from "./comparison.ts";
import { comparisonHtml } from "./comparison-html.ts";
import { customerVariant, readCustomers } from "./customers.ts";
import { IndexChoice } from "./index-choice.tsx";
import { entry, mapping } from "./mapping.ts";
import { asked, candidates, failure, search, searchWith, showPlace, subqueries, variants } from "./results.ts";
import { known, show, shown } from "./shown.ts";
import type { Variant } from "./variant.ts";
import { candidatesCall, variantTitle } from "./variants.ts";
import { WhereView } from "./where-view.tsx";

/** Searches one text with several settings, side by side. */
export function SearchView() {
  const all = variants.value;
  const change = (next: Variant[]) => goTo({ variants: next }, { replace: true });
  return (
    <>
      <SearchForm />
      <Problem text={failure.value} />
      {place.value.query === "" && <p class="note">Type a text that people search for.</p>}
      {failure.value === "" && <Columns all={all} change={change} />}
    </>
  );
}

function Columns({ all, change }: { all: readonly Variant[]; change: (next: Variant[]) => void }) {
  const [chosen, choose] = useState<number | null>(null);
  const first = Math.max(0, isCustomers(all[0]) ? 0 : all.findLastIndex(({ kind }) => kind === "hybrid"));
  const current = chosen !== null && chosen < all.length ? chosen : first;
  return (
    <>
      {candidates.value.error !== "" && !isSearching.value && (
        <Problem text={`The rank of each hit in each subquery is unknown. ${candidates.value.error}`} />
      )}
      <Unconfigured />
      <WhereView />
      <AddVariant
        onAdd={(variant) => {
          change([...all, variant]);
          choose(all.length);
        }}
      />
      {all.length > 1 && (
        <div class="column-tabs" role="tablist" aria-label="Columns">
          {all.map((variant, position) => (
            <button
              key={position}
              type="button"
              role="tab"
              aria-selected={position === current}
              onClick={() => choose(position)}
            >
              {variantTitle(variant, subqueries.value)}
            </button>
          ))}
        </div>
      )}
      <div class="columns side">
        {all.map((variant, position) => (
          <ColumnView
            key={position}
            variant={variant}
            isCurrent={position === current}
            onChange={(next) => change(all.map((one, index) => (index === position ? next : one)))}
            onRemove={all.length > 1 ? () => change(all.filter((_, index) => index !== position)) : undefined}
          />
        ))}
      </div>
      {asked.value && (
        <Curl
          url={setup.value?.gateway ?? ""}
          call={candidatesCall(asked.value)}
          title="the candidates of all subqueries"
          isNamed
        />
      )}
    </>
  );
}

const isCustomers = (variant: Variant | undefined) => variant?.kind === "template";

/** Missing requirements for embeddings, and the fix. */
function Unconfigured() {
  const { index } = place.value;
  if (!setup.value || index === "" || entry.value) return null;
  return (
    <p class="note">
      hybrid_search.yaml has no entry for {index}, so only keyword search is known here. Add one, or add a template of
      your own.
    </p>
  );
}

/** The text, the index and the user of all four places. */
export function SearchForm() {
  const { query, index, user, fields } = place.value;
  // A link, or the way back, shows its own results.
  useEffect(() => {
    void showPlace();
  }, [query, index, user, fields.join(), JSON.stringify(customerVariant(index))]);
  useEffect(() => void readCustomers(index), [index]);
  const [draft, edit] = useState({ query, index, user });
  useEffect(() => edit({ query, index, user }), [query, index, user]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const next = { query: draft.query.trim(), index: draft.index.trim(), user: draft.user.trim() };
    const isSame = next.query === query && next.index === index && next.user === user;
    goTo({ ...otherIndex(next.index), ...next });
    if (isSame) void search();
  };
  const field = (name: keyof typeof draft) => ({
    value: draft[name],
    autocomplete: "off",
    spellcheck: false,
    onInput: (event: { currentTarget: HTMLInputElement }) => edit({ ...draft, [name]: event.currentTarget.value }),
  });
  return (
    <form class="search-form" onSubmit={submit}>
      <label class="grow">
        Text
        <input type="search" dir="auto" placeholder="what people type" {...field("query")} />
      </label>
      <IndexChoice label="Index" value={draft.index} onChange={(chosen) => edit({ ...draft, index: chosen })} />
      <label>
        User
        <input placeholder="nobody" {...field("user")} />
      </label>
      <button type="submit" class="primary">
        Search
      </button>
      <Fields />
      {failure.value === "" && <ShownFieldsChoice />}
    </form>
  );
}

function Fields() {
  const { fields } = place.value;
  const { fields: known, error } = mapping.value;
  // An error of every search is said above.
  if (failure.value !== "") return null;
  if (error !== "") {
    return (
      <label class="wide">
        Fields for the keyword search (the mapping could not be read: {error})
        <input
          value={fields.join()}
          onChange={(event) => goTo({ fields: event.currentTarget.value.split(/[\s,]+/).filter(Boolean) })}
        />
      </label>
    );
  }
  if (known.length < 2) return null;
  const chosen = fields.length > 0 ? fields : known;
  return (
    <fieldset class="wide">
      <legend>Keyword fields</legend>
      {known.map((field) => (
        <label key={field} class="inline">
          <input
            type="checkbox"
            checked={chosen.includes(field)}
            onChange={() => {
              const next = chosen.includes(field) ? chosen.filter((one) => one !== field) : [...chosen, field];
              if (next.length > 0) goTo({ fields: next.length === known.length ? [] : next });
            }}
          />
          {field}
        </label>
      ))}
    </fieldset>
  );
}

/** Chooses what hits show: a title, and what stands below it. */
function ShownFieldsChoice() {
  const fields = known.value;
  if (fields.length < 2) return null;
  const { title, below } = shown.value;
  return (
    <details class="wide">
      <summary>Shown of each hit</summary>
      <div class="row">
        <label>
          Title
          <select value={title} onChange={(event) => show({ title: event.currentTarget.value, below })}>
            <option value="">none</option>
            {fields.map((field) => (
              <option key={field}>{field}</option>
            ))}
          </select>
        </label>
        <fieldset>
          <legend>Below it</legend>
          {fields.map((field) => (
            <label key={field} class="inline">
              <input
                type="checkbox"
                checked={below.includes(field)}
                onChange={() => {
                  const next = below.includes(field) ? below.filter((one) => one !== field) : [...below, field];
                  show({ title, below: next });
                }}
              />
              {field}
            </label>
          ))}
        </fieldset>
      </div>
    </details>
  );
}

/** Saves what Search shows as a page that anybody can read without the console. */
function saveComparison(): void {
  const found = comparison();
  const name = wordsOf(found.query).join("-").slice(0, 40);
  saveFile(`search-${name}.html`, comparisonHtml(found));
}

function AddVariant({ onAdd }: { onAdd: (variant: Variant) => void }) {
  const count = variants.value.length + 1;
  const add = (variant: Variant) => {
    onAdd(variant);
    void searchWith(variant);
  };
  const template = JSON.stringify(
    { query: { hybrid: { queries: subqueries.value.map((subquery) => subquery.query) } } },
    undefined,
    2,
  );
  return (
    <section class="bar" aria-label="Add a variant">
      <p class="note">Press a title to see why it is there.</p>
      {subqueries.value.length > 1 && (
        <button type="button" onClick={() => add({ kind: "hybrid", name: `variant ${count}`, settings: null })}>
          + hybrid
        </button>
      )}
      <button type="button" onClick={() => add({ kind: "plain", name: `plain ${count}`, boosts: {}, filter: "" })}>
        + plain
      </button>
      <button type="button" onClick={() => add({ kind: "own", name: `own ${count}`, template })}>
        + own template
      </button>
      <button type="button" disabled={isSearching.value || !asked.value} onClick={saveComparison}>
        Save as HTML
      </button>
      {(setup.value?.templates ?? []).slice(0, 1).map(({ name: template }) => (
        <button
          key={template}
          type="button"
          onClick={() => add({ kind: "template", name: `template ${count}`, template, params: {} })}
        >
          + template
        </button>
      ))}
      {place.value.variants !== null && (
        <button type="button" onClick={() => goTo({ variants: null })}>
          Usual variants
        </button>
      )}
    </section>
  );
}
