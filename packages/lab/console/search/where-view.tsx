import { useEffect, useState } from "preact/hooks";
import type { Step } from "../../whereabouts/where.ts";
import { whereIs } from "../../whereabouts/where.ts";
import { callService } from "../api.ts";
import { goTo, place } from "../state.ts";
import { findDocuments } from "./find-documents.ts";
import { asked, columnOf, documents, nativeBodyOf, readDocuments, subqueries, variants } from "./results.ts";
import { titleOf } from "./shown.ts";
import type { Variant } from "./variant.ts";
import { callOf, subqueryTitle, variantTitle } from "./variants.ts";

/** Asks for a document, and says where each variant has it. */
export function WhereView() {
  const { document } = place.value;
  const [draft, edit] = useState(document);
  const [found, show] = useState<readonly string[]>([]);
  useEffect(() => edit(document), [document]);
  const choose = (id: string) => {
    show([]);
    goTo({ document: id });
  };
  const find = async (typed: string) => {
    const { index } = place.value;
    await readDocuments([typed], index).catch(() => undefined);
    const isId = typed === "" || documents.value.has(typed);
    const titled = isId ? [] : await findDocuments(index, typed).catch(() => []);
    if (titled.length === 0) choose(typed);
    else show(titled);
  };
  return (
    <details class="where" open={document !== ""}>
      <summary>Where is a document?</summary>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          void find(draft.trim());
        }}
      >
        <label>
          Id or title of a document
          <input
            value={draft}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => edit(event.currentTarget.value)}
          />
        </label>
        <button type="submit">Find</button>
        {document !== "" && (
          <button type="button" onClick={() => goTo({ document: "" })}>
            Close
          </button>
        )}
      </form>
      {found.length > 0 && (
        <ul class="plain" aria-label="Documents with such a title">
          {found.map((id) => (
            <li key={id} dir="auto">
              <button type="button" class="link" onClick={() => choose(id)}>
                {titleOf(id, documents.value.get(id))}
              </button>
            </li>
          ))}
        </ul>
      )}
      {document !== "" && asked.value && (
        <div class="columns">
          {variants.value.map((variant, at) => (
            <Whereabouts key={at} variant={variant} document={document} />
          ))}
        </div>
      )}
    </details>
  );
}

interface TraceState {
  key: string;
  steps: readonly Step[];
  error: string;
}

const UNKNOWN: TraceState = { key: "", steps: [], error: "" };

/** Where one variant has the document, step by step, and why it is not higher. */
function Whereabouts({ variant, document }: { variant: Variant; document: string }) {
  const [told, tell] = useState(UNKNOWN);
  const key = JSON.stringify([variant, document, asked.value, columnOf(variant).state]);
  const title = variantTitle(variant, subqueries.value);
  // What is known of another document would stand under this one's name.
  const { steps, error } = told.key === key ? told : UNKNOWN;
  useEffect(() => {
    let isWanted = true;
    const show = (next: Omit<TraceState, "key">) => isWanted && tell({ key, ...next });
    stepsOf(variant, document).then(
      (steps) => show({ steps, error: "" }),
      (error: Error) => show({ steps: [], error: error.message }),
    );
    return () => {
      isWanted = false;
    };
  }, [key]);
  return (
    <section class="column" aria-label={`${document} in ${title}`}>
      <h2>{title}</h2>
      {told.key !== key && <p class="note">Looking for it …</p>}
      {error !== "" && (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
      <dl>
        {steps.map(({ name, rank, why }) => (
          <div key={name}>
            <dt>
              {name} <b>{rank ?? "–"}</b>
            </dt>
            <dd>{why}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function stepsOf(variant: Variant, document: string): Promise<Step[]> {
  const what = asked.value;
  if (!what) return Promise.resolve([]);
  const all = what.subqueries;
  const used = variant.kind === "subquery" ? all.filter(({ name }) => name === variant.subquery) : all;
  const names =
    variant.kind === "own" || variant.kind === "template" ? [] : used.map((subquery) => subqueryTitle(subquery, all));
  const ask = async ({ path, body }: { path: string; body: object }) =>
    (await callService({ service: "gateway", method: "POST", path, body })).body;
  // A template that is no JSON throws here.
  return Promise.resolve().then(() => {
    const { path, ...call } = callOf(variant, what);
    const body = nativeBodyOf(variant, call.body as Record<string, object>);
    return whereIs(ask, { call: { path, body } as Parameters<typeof whereIs>[1]["call"], document, names });
  });
}
