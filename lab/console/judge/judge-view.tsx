import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { checkedIn } from "../../judgments/model-check.ts";
import { MIN_QUERIES } from "../../tuning/tune.ts";
import { Problems } from "../parts.tsx";
import { Marked } from "../search/marked.tsx";
import { asked, columnOf, documents, failure, readDocuments, variants } from "../search/results.ts";
import { SearchForm } from "../search/search-view.tsx";
import { textsOf, titleOf } from "../search/shown.ts";
import { announce, goTo, hashOf, place } from "../state.ts";
import { check, file, gradesOf, names, ownRows, readFile, save } from "./judgments.ts";
import { pooled } from "./pool.ts";

const GRADES = ["not relevant", "related", "relevant", "exactly this"];

/** Judges what the variants found, one document at a time, by key press. */
export function JudgeView() {
  const { judgments } = place.value;
  useEffect(() => {
    void readFile(judgments);
  }, [judgments]);
  const columns = variants.value.map(columnOf);
  const query = asked.value?.query ?? "";
  const byModel = [...(check.value?.model.get(query)?.keys() ?? [])];
  // Where a model judged, people judge the same documents, whatever today's columns find.
  const rankings = byModel.length > 0 ? [byModel] : columns.map(({ hits }) => hits.map(({ id }) => id));
  const pool = pooled(query, rankings);
  const wanted = byModel.join();
  useEffect(() => {
    if (wanted !== "") void readDocuments(byModel).catch(() => undefined);
  }, [query, wanted]);
  const isReady = columns.every(({ state }) => state === "done" || state === "error");
  return (
    <>
      <SearchForm />
      <div class="row">
        <label>
          Judgments file
          <input
            value={judgments}
            list="judgments"
            onChange={(event) => goTo({ judgments: event.currentTarget.value.trim() || "judgments" })}
          />
        </label>
        <datalist id="judgments">
          {names.value.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <p class="note">{progressText()}</p>
      </div>
      <CheckProposal />
      <Problems texts={[file.value.error, ...(failure.value ? [failure.value] : columns.map(({ error }) => error))]} />
      {isReady && pool.length > 0 ? <Pool key={query + judgments} name={judgments} query={query} pool={pool} /> : null}
      {pool.length === 0 && (query === "" || (isReady && failure.value === "")) && (
        <p class="empty">Search for a text that people use. Its hits appear here, in no particular order.</p>
      )}
    </>
  );
}

/** How far people have checked a language model's judgments, and the query to judge next. */
function CheckProposal() {
  const found = check.value;
  if (!found) return null;
  const { queries, of, needed, kappa } = checkedIn(found);
  const next = found.order[queries];
  const agreement = kappa === undefined ? "" : ` Weighted kappa ${kappa.toFixed(2)}.`;
  const target = queries < needed ? `A verdict needs ${needed}.` : "More make intervals narrower.";
  return (
    <p class="note check">
      A language model judged {of} queries; people have checked {queries}. {target}
      {agreement} {next !== undefined && <a href={hashOf({ ...place.value, query: next })}>Check the next: {next}</a>}
    </p>
  );
}

/** How much is judged, and what further judgments make possible. */
function progressText(): string {
  const rows = ownRows();
  const queries = new Set(rows.map((row) => row.query)).size;
  const missing = MIN_QUERIES - queries;
  const next =
    missing > 0
      ? `Tuning needs ${MIN_QUERIES} judged queries: ${missing} to go.`
      : "Enough to tune; more queries make intervals narrower.";
  return `${rows.length} judged, in ${queries} ${queries === 1 ? "query" : "queries"}. ${next}`;
}

/** Characters of a text that may have more lines than the card shows. */
const LONG = 400;

interface Step {
  doc: string;
  before: number | null;
}

function Pool({ name, query, pool }: { name: string; query: string; pool: readonly string[] }) {
  const [position, move] = useState(0);
  /** The document whose text is shown in whole. */
  const [opened, open] = useState("");
  const done = useRef<Step[]>([]);
  const grades = gradesOf(query);
  const current = Math.min(position, pool.length - 1);
  const id = pool[current] ?? "";
  const judged = pool.filter((doc) => grades.has(doc)).length;

  const judge = async (grade: number) => {
    const step = { doc: id, before: grades.get(id) ?? null };
    if (!(await save(name, query, id, grade))) return;
    done.current.push(step);
    const now = gradesOf(query);
    const later = [...pool.slice(current + 1), ...pool.slice(0, current)];
    const next = later.find((doc) => !now.has(doc));
    const count = pool.filter((doc) => now.has(doc)).length;
    announce(`${GRADES[grade]}. ${count} of ${pool.length} judged.`);
    if (next !== undefined) move(pool.indexOf(next));
  };
  const undo = async () => {
    const step = done.current.pop();
    if (!step || !(await save(name, query, step.doc, step.before))) return;
    move(pool.indexOf(step.doc));
    announce("Taken back");
  };
  const acts: Record<string, () => unknown> = {
    ...Object.fromEntries(GRADES.map((_, grade) => [String(grade), () => judge(grade)])),
    ArrowRight: () => move(Math.min(pool.length - 1, current + 1)),
    ArrowLeft: () => move(Math.max(0, current - 1)),
    u: undo,
  };
  // The newest acts, so that one listener serves all of them.
  const latest = useRef(acts);
  latest.current = acts;
  // Before the card can be seen, so that no key is lost.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.closest("input, select, textarea") !== null;
      const act = latest.current[event.key];
      if (isTyping || event.ctrlKey || event.altKey || event.metaKey || !act) return;
      event.preventDefault();
      void act();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);

  const card = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    // Whoever has just typed a text judges next; the keys must not go into the text.
    if (document.activeElement?.closest(".search-form")) card.current?.focus();
  }, []);

  const source = documents.value.get(id);
  const { facts, text } = textsOf(source);
  return (
    <div class="judge">
      <section class="column card" aria-label="Document to judge" ref={card} tabIndex={-1}>
        <p class="note">
          {judged} of {pool.length} judged.{" "}
          <span class="keys">
            Keys: <kbd>0</kbd> to <kbd>3</kbd> judge, <kbd>←</kbd> <kbd>→</kbd> move, <kbd>u</kbd> undoes.
          </span>
        </p>
        <progress max={pool.length} value={judged} aria-label="judged" />
        <h2 dir="auto">{titleOf(id, source)}</h2>
        {facts.length > 0 && (
          <p class="facts" dir="auto">
            {facts.join(" · ")}
          </p>
        )}
        <p class={opened === id ? "body" : "body clamped"} dir="auto">
          <Marked text={text} query={query} />
        </p>
        {text.length > LONG && opened !== id && (
          <button type="button" class="link" onClick={() => open(id)}>
            Show the whole text
          </button>
        )}
        <details>
          <summary>Document {id}</summary>
          <pre>{JSON.stringify(source ?? {}, undefined, 2)}</pre>
        </details>
        <fieldset class="grades">
          <legend class="hidden">How relevant is it?</legend>
          {GRADES.map((name, grade) => (
            <button
              key={name}
              type="button"
              class={grades.get(id) === grade ? "primary" : ""}
              aria-pressed={grades.get(id) === grade}
              aria-keyshortcuts={String(grade)}
              onClick={() => void judge(grade)}
            >
              <kbd>{grade}</kbd> {name}
            </button>
          ))}
        </fieldset>
        <button type="button" aria-keyshortcuts="u" disabled={done.current.length === 0} onClick={() => void undo()}>
          Undo
        </button>
      </section>
      <section class="column" aria-label="To judge">
        <ol class="pool" aria-label="Documents of all variants, in no particular order">
          {pool.map((doc, index) => (
            <li key={doc}>
              <span class="entry">
                <button
                  type="button"
                  class="title"
                  dir="auto"
                  aria-current={index === current ? "true" : undefined}
                  onClick={() => move(index)}
                >
                  {titleOf(doc, documents.value.get(doc))}
                </button>
                {grades.has(doc) && <span class="tag given">grade {grades.get(doc)}</span>}
              </span>
            </li>
          ))}
        </ol>
      </section>
    </div>
  );
}
