import { useEffect } from "preact/hooks";
import { type FailureKind, failing, hasClicks, isFailureKind, type SearchedQuery } from "../../clicks/failures.ts";
import { TaskForm } from "../judge/task-view.tsx";
import { Mends } from "../merchandise/mends.tsx";
import { Problem, scrolls } from "../parts.tsx";
import { IndexChoice } from "../search/index-choice.tsx";
import { goTo, hashOf, otherIndex, place, setup } from "../state.ts";
import { pathOf, readSearched, searched } from "./searched.ts";

const PERIODS = ["1", "7", "30", "90"];

/** Each list, and what its queries have in common. */
const LISTS: Readonly<Record<"" | FailureKind, readonly [title: string, meaning: string]>> = {
  "": ["most frequent", "What people search for, most frequent first."],
  "zero-hits": ["zero hits", "Searches without hits, those first that happened most often."],
  abandoned: ["abandoned", "Searches with hits of which none was clicked."],
  "few-clicks": ["few clicks", "Their first ten hits get fewer clicks than those of other queries at the same ranks."],
  degraded: ["degraded", "Searches whose answer lacked a part, such as an embedding."],
  slow: [
    "slow",
    "Searches that took longer than 95 % of all. One search in twenty is slow by definition, so a few of any query's can be.",
  ],
};

/** What people searched for, where it failed, and the ways to mend it. */
export function QueriesView() {
  const { index, days, everywhere } = place.value;
  const key = pathOf(place.value);
  useEffect(() => {
    if (setup.value) void readSearched();
  }, [key]);
  const { value, error } = searched.value;
  const isReading = searched.value.key === key && value === null && error === "";
  return (
    <>
      <div class="row">
        <IndexChoice label="Index" value={index} onChange={(chosen) => goTo(otherIndex(chosen))} />
        <label>
          Days
          <select value={days} onChange={(event) => goTo({ days: event.currentTarget.value })}>
            {[...new Set([...PERIODS, days])].map((count) => (
              <option key={count}>{count}</option>
            ))}
          </select>
        </label>
        <label class="inline">
          <input type="checkbox" checked={everywhere} onChange={() => goTo({ everywhere: !everywhere })} />
          Searches of every index
        </label>
        <button type="button" disabled={isReading} onClick={() => void readSearched({ again: true })}>
          Read again
        </button>
      </div>
      {isReading && (
        <section class="busy" aria-label="In progress">
          <p class="note" role="status">
            Reading the request log of {days} {days === "1" ? "day" : "days"} …
          </p>
          <progress aria-label="progress" />
        </section>
      )}
      <Problem text={error} />
      {value && <Lists queries={value.queries} of={value.of} />}
    </>
  );
}

function Lists({ queries, of }: { queries: readonly SearchedQuery[]; of: number }) {
  const { failing: chosen } = place.value;
  const kind = isFailureKind(chosen) ? chosen : undefined;
  const [, meaning] = LISTS[kind ?? ""];
  const listed = failing(queries, kind);
  const own = listed.filter(({ index }) => index === place.value.index).map(({ query }) => query);
  return (
    <section class="column" aria-label="Queries">
      <nav class="bar" aria-label="Lists">
        {Object.entries(LISTS).map(([name, [title]]) => (
          <a
            key={name}
            href={hashOf({ ...place.value, failing: name })}
            aria-current={name === (kind ?? "") ? "true" : undefined}
          >
            {title}
            {isFailureKind(name) && ` ${failing(queries, name).length}`}
          </a>
        ))}
      </nav>
      <p class="note">
        {meaning} {of > queries.length ? `The worst of ${of} queries.` : `${of} queries.`}
      </p>
      {!hasClicks(queries) && (
        <p class="warning">
          No hit was clicked, so abandoned and few clicks say nothing: send clicks to /application/events.
        </p>
      )}
      {listed.length === 0 ? <p class="empty">No query fails so.</p> : <Table listed={listed} />}
      {own.length > 0 && (
        <details>
          <summary>Make a judging task of these</summary>
          <TaskForm queries={own} />
        </details>
      )}
    </section>
  );
}

function Table({ listed }: { listed: readonly SearchedQuery[] }) {
  return (
    <div class="scroll" {...scrolls}>
      <table>
        <thead>
          <tr>
            <th scope="col">query</th>
            {["searches", "people", "zero hits", "abandoned", "clicks (expected)", "degraded", "slow", "p95 ms"].map(
              (name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {listed.map((one) => (
            <tr key={one.query}>
              <th scope="row" dir="auto">
                {one.query}
                <span class="mends" dir="ltr">
                  <a href={hashOf(searchOf(one))}>
                    look why<span class="hidden"> for {one.query}</span>
                  </a>
                  <Mends query={one.query} index={one.index} />
                </span>
              </th>
              {[one.searches, one.people, one.zeroHits, one.abandoned].map((count, at) => (
                <td key={at}>{count}</td>
              ))}
              <td>
                {one.clicks} ({one.expectedClicks.toFixed(1)})
              </td>
              <td>{one.degraded}</td>
              <td>{one.slow}</td>
              <td>{one.p95 === null ? "" : Math.round(one.p95)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Returns the place that searches for a query in the index that most of its searches named. */
function searchOf({ query, index }: SearchedQuery) {
  return { ...place.value, ...otherIndex(index), view: "search" as const, query };
}
