import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { checkedIn } from "../../judgments/model-check.ts";
import { Problems, useTyped } from "../parts.tsx";
import { Marked } from "../search/marked.tsx";
import { asked, type Column, columnOf, documents, failure, readDocuments, variants } from "../search/results.ts";
import { SearchForm } from "../search/search-view.tsx";
import { textsOf, titleOf } from "../search/shown.ts";
import { announce, goTo, hashOf, place } from "../state.ts";
import { AgreementView } from "./agreement-view.tsx";
import { GRADES } from "./grades.ts";
import { check, file, gradesOf, names, readFile, save } from "./judgments.ts";
import { useKeys } from "./keys.ts";
import { pooled } from "./pool.ts";
import { progressText, sharesText } from "./progress.ts";
import { rater, setRater } from "./rater.ts";
import { TaskView } from "./task-view.tsx";
import { current, next, openQuery, ownDocuments, skip, stuck, task, taskQuery } from "./tasks.ts";

/** Judges what the variants found, one document at a time, by key press. */
export function JudgeView() {
  const { judgments } = place.value;
  useEffect(() => {
    void readFile(judgments);
  }, [judgments]);
  const typedFile = useTyped(judgments, (name) => goTo({ judgments: name.trim() || "judgments" }));
  const typedName = useTyped(rater.value, setRater);
  const columns = variants.value.map(columnOf);
  const query = asked.value?.query ?? "";
  // Another place is shown at once, and its documents a moment later.
  const isHere = query === place.value.query && (asked.value?.index ?? "") === place.value.index;
  // What the page computed is searched for here: a card that comes and goes meanwhile would lose a key.
  const isAnswered = ({ state, isComputed }: Column) => (state === "done" && !isComputed) || state === "error";
  const isReady = isHere && columns.every(isAnswered);
  // Until all searches have answered, nobody knows whether an error is that of all of them.
  const searchErrors = failure.value ? [failure.value] : isReady ? columns.map(({ error }) => error) : [];
  const byModel = [...(check.value?.model.get(query)?.keys() ?? [])];
  const inTask = isHere ? taskQuery.value : undefined;
  // Where a model or others judged, people judge the same documents, whatever today's columns find.
  const given = inTask ? ownDocuments.value : byModel;
  const found = columns.map(({ hits }) => hits.map(({ id }) => id));
  const pool = pooled(query, given.length > 0 || inTask ? [given] : found);
  const wanted = given.join();
  useEffect(() => {
    if (wanted !== "") void readDocuments(given).catch(() => undefined);
  }, [query, wanted]);
  const ofTask = current.value;
  const isFileRead = file.value.name === judgments;
  // What a column that fails or lacks a part would have found would be missing from the documents for good.
  const isWhole = byModel.length > 0 || columns.every((column) => column.state === "done" && !column.degraded.length);
  const isToOpen = isReady && isFileRead && inTask !== undefined && inTask.documents === undefined;
  useEffect(() => {
    if (!isToOpen || !ofTask) return;
    const documents = byModel.length > 0 ? byModel : found.flatMap((ids) => ids.slice(0, ofTask.depth));
    if (isWhole) void openQuery(ofTask, query, documents);
    else skip(ofTask, query);
  }, [isToOpen, isWhole, query]);
  // Before the file and the task are read, what others have judged is unknown.
  const { task: taskName } = place.value;
  const isTaskRead = taskName === "" || task.value.value?.name === taskName || task.value.error !== "";
  const isKnown = isTaskRead && (!inTask || (isFileRead && rater.value !== ""));
  return (
    <>
      <SearchForm />
      <div class="row">
        <label>
          Judgments file
          <input list="judgments" {...typedFile} />
        </label>
        <datalist id="judgments">
          {names.value.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <label>
          Your name
          <input placeholder="for several raters" autocomplete="name" maxLength={64} {...typedName} />
        </label>
        <p class="note">
          {progressText()}
          {isReady && !inTask && pool.length > 0 && ` ${sharesText(query, found)}`}
        </p>
      </div>
      <TaskView />
      {isToOpen && stuck.value.has(query) && <Stuck />}
      <CheckProposal />
      <Problems texts={[task.value.error, file.value.error, ...searchErrors]} />
      {isReady && isKnown && pool.length > 0 ? (
        <Pool
          key={query + judgments + rater.value}
          name={judgments}
          query={query}
          pool={pool}
          isContinued={inTask !== undefined}
        />
      ) : null}
      {pool.length === 0 && !inTask && (query === "" || (isReady && failure.value === "")) && (
        <p class="empty">Search for a text that people use. Its hits appear here, in no particular order.</p>
      )}
      <AgreementView />
    </>
  );
}

/** Says that a query of a task cannot be opened now. */
function Stuck() {
  useKeys({ ...(next.value !== undefined && { n: () => goTo({ query: next.value ?? "" }) }) });
  return (
    <p class="note" role="status">
      This query could not be opened: everybody judges what all columns find, so none may fail or lack a part. Search
      again later.{" "}
      {next.value !== undefined && (
        <>
          <kbd>n</kbd> goes to the next open query.
        </>
      )}
    </p>
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

/** Characters of a text that may have more lines than the card shows. */
const LONG = 400;

interface Step {
  doc: string;
  before: number | null;
}

interface PoolProps {
  name: string;
  query: string;
  pool: readonly string[];
  /** Whether to begin at the first document without a grade. */
  isContinued: boolean;
}

function Pool({ name, query, pool, isContinued }: PoolProps) {
  const [position, move] = useState(() =>
    isContinued
      ? Math.max(
          0,
          pool.findIndex((doc) => !gradesOf(query).has(doc)),
        )
      : 0,
  );
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
    ...(isContinued && next.value !== undefined && { n: () => goTo({ query: next.value ?? query }) }),
  };
  useKeys(acts);

  const card = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    // Whoever has just typed a text judges next; the keys must not go into the text.
    if (document.activeElement?.closest(".search-form")) card.current?.focus();
  }, []);

  const source = documents.value.get(id);
  const { facts, text } = textsOf(source);
  return (
    <div class="judge">
      <section class="column card" aria-label="Document to judge" data-first ref={card} tabIndex={-1}>
        <p class="note">
          {judged} of {pool.length} judged.{" "}
          <span class="keys">
            Keys: <kbd>0</kbd> to <kbd>3</kbd> judge, <kbd>←</kbd> <kbd>→</kbd> move, <kbd>u</kbd> undoes
            {isContinued && (
              <>
                , <kbd>n</kbd> goes to the next open query
              </>
            )}
            .
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
