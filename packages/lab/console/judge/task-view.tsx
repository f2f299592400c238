import { useEffect, useState } from "preact/hooks";
import { taskProgress } from "../../judgments/task.ts";
import { Problem } from "../parts.tsx";
import { goTo, hashOf, place } from "../state.ts";
import { file, judgmentsAboutIndex } from "./judgments.ts";
import { rater } from "./rater.ts";
import { createTask, current, next, readTasks, stuck, task, tasks } from "./tasks.ts";

/** Chooses a task, and shows how far it is. */
export function TaskView() {
  const { task: name, query, judgments } = place.value;
  useEffect(() => {
    void readTasks(name);
  }, [name]);
  const isRead = current.value !== null && file.value.name === judgments;
  // Whoever comes to a task without a text wants to judge.
  useEffect(() => {
    if (isRead && query === "" && next.value !== undefined) goTo({ query: next.value }, { replace: true });
  }, [isRead, query, next.value]);
  return (
    <section aria-label="Judging task">
      <div class="row">
        {(tasks.value.length > 0 || name !== "") && (
          <label>
            Task
            <select
              value={name}
              onChange={(event) => {
                const chosen = tasks.value.find((one) => one.name === event.currentTarget.value);
                if (chosen) goTo({ task: chosen.name, judgments: chosen.judgments, index: chosen.index, query: "" });
                else goTo({ task: "" });
              }}
            >
              <option value="">none</option>
              {[...new Set([...tasks.value.map((one) => one.name), ...(name === "" ? [] : [name])])].map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
        )}
        <QueriesFile />
      </div>
      {isRead ? <Progress /> : <OtherPlace />}
    </section>
  );
}

/** Says that the place is about another index or file than its task. */
function OtherPlace() {
  const { value } = task.value;
  if (!value || value.name !== place.value.task || current.value) return null;
  const { index, judgments } = value;
  return (
    <p>
      The task is about the index {index} and the judgments file {judgments}.{" "}
      <a href={hashOf({ ...place.value, index, judgments, query: "" })}>Continue there</a>
    </p>
  );
}

function Progress() {
  const { value } = current;
  if (!value) return null;
  const { documents, done, unopened, raters } = taskProgress(value, judgmentsAboutIndex());
  const { query } = place.value;
  return (
    <div class="column">
      <p>
        {done} of {documents} documents have {value.raters} {value.raters === 1 ? "grade" : "grades"}; {unopened} of{" "}
        {value.queries.length} queries are not opened yet. {rater.value === "" && "Write your name above to judge."}
        {rater.value !== "" &&
          next.value === undefined &&
          stuck.value.size === 0 &&
          "Nothing is left for you to judge."}
        {stuck.value.size > 0 && `Could not be opened: ${[...stuck.value].join(", ")}. `}
        {next.value !== undefined && next.value !== query && (
          <a href={hashOf({ ...place.value, query: next.value })}>Continue with {next.value}</a>
        )}
      </p>
      <progress max={Math.max(1, documents)} value={done} aria-label="judged by enough raters" />
      <ul class="facts">
        {Object.entries(raters).map(([name, count]) => (
          <li key={name} dir="auto">
            {name}: {count} of {documents}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Makes a task of a file with a query on each line. */
function QueriesFile() {
  const [queries, read] = useState<string[]>([]);
  return (
    <details class="grow">
      <summary>New task from a file of queries</summary>
      <label>
        A query on each line
        <input
          type="file"
          accept=".txt,text/plain"
          onChange={async (event) => {
            const text = (await event.currentTarget.files?.[0]?.text()) ?? "";
            read(
              text
                .split(/\r?\n/)
                .map((line) => line.trim())
                .filter(Boolean),
            );
          }}
        />
      </label>
      {queries.length > 0 && <TaskForm queries={queries} />}
    </details>
  );
}

/** Makes a task of queries about the index of the place. */
export function TaskForm({ queries }: { queries: readonly string[] }) {
  const [sent, edit] = useState({ name: "", depth: 10, raters: 2 });
  const [problem, say] = useState("");
  const count = (name: "depth" | "raters", max: number) => ({
    ...{ min: 1, max, value: sent[name], required: true },
    onInput: (event: { currentTarget: HTMLInputElement }) =>
      edit({ ...sent, [name]: event.currentTarget.valueAsNumber }),
  });
  return (
    <form
      class="row"
      aria-label="New judging task"
      onSubmit={async (event) => {
        event.preventDefault();
        say(await createTask({ ...sent, queries }));
      }}
    >
      <label>
        Task
        <input
          required
          value={sent.name}
          placeholder="letters, digits, _ and -"
          onInput={(event) => edit({ ...sent, name: event.currentTarget.value.trim() })}
        />
      </label>
      <label>
        Hits of each variant
        <input type="number" {...count("depth", 10)} />
      </label>
      <label>
        Raters of each document
        <input type="number" {...count("raters", 20)} />
      </label>
      <button type="submit" disabled={place.value.index === ""}>
        Judge {queries.length} {queries.length === 1 ? "query" : "queries"} of {place.value.index}
      </button>
      <Problem text={problem} />
    </form>
  );
}
