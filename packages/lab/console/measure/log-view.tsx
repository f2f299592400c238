import { useState } from "preact/hooks";
import type { ClickJudgments } from "../../server/log-reports.ts";
import { callConsole } from "../api.ts";
import { Problem, scrolls } from "../parts.tsx";
import { announce, goTo, place } from "../state.ts";

/** Something that is read from the request log, which may take a while. */
interface Reading<T> {
  value: T | null;
  error: string;
  isBusy: boolean;
}

/** Returns what was read last, and the function that reads. */
function useReading<T>(): [Reading<T>, (read: () => Promise<T>, done: string) => Promise<void>] {
  const [state, set] = useState<Reading<T>>({ value: null, error: "", isBusy: false });
  return [
    state,
    async (read, done) => {
      set({ value: null, error: "", isBusy: true });
      try {
        set({ value: await read(), error: "", isBusy: false });
        announce(done);
      } catch (error) {
        set({ value: null, error: (error as Error).message, isBusy: false });
      }
    },
  ];
}

function Busy({ isBusy }: { isBusy: boolean }) {
  if (!isBusy) return null;
  return (
    <section class="busy" aria-label="In progress">
      <p class="note" role="status">
        Reading the request log …
      </p>
      <progress aria-label="progress" />
    </section>
  );
}

/** The days of the request log that are read. */
function Days() {
  return (
    <label>
      Days
      <input
        type="number"
        min={1}
        max={9999}
        required
        value={place.value.days}
        onChange={(event) => goTo({ days: event.currentTarget.value })}
      />
    </label>
  );
}

/** The report of an experiment, as the command prints it. */
export function ExperimentView() {
  const [name, edit] = useState("");
  const [{ value, error, isBusy }, read] = useReading<{ text: string }>();
  const { days } = place.value;
  return (
    <section aria-label="Experiment">
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          const path = `/api/experiment?${new URLSearchParams({ name, days })}`;
          void read(() => callConsole("GET", path), "The report is ready");
        }}
      >
        <label class="grow">
          Experiment of hybrid_search.yaml
          <input required value={name} onInput={(event) => edit(event.currentTarget.value.trim())} />
        </label>
        <Days />
        <button type="submit" class="primary" disabled={isBusy}>
          Report
        </button>
      </form>
      <Busy isBusy={isBusy} />
      <Problem text={error} />
      {value && (
        <section aria-label="Report">
          <pre>{value.text}</pre>
        </section>
      )}
    </section>
  );
}

/** A report with the request it answers; the form may have changed since. */
interface AskedJudgments extends ClickJudgments {
  asked: Record<string, string>;
}

/** Judgments from clicks: where they come from, and a file of them. */
export function ClicksView() {
  const [least, edit] = useState("20");
  const [{ value, error, isBusy }, read] = useReading<AskedJudgments>();
  const { days, index } = place.value;
  const asked = { days, least, ...(index !== "" && { index }) };
  return (
    <section aria-label="Click judgments">
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          void read(async () => {
            const found = await callConsole<ClickJudgments>("GET", `/api/clicks?${new URLSearchParams(asked)}`);
            return { ...found, asked };
          }, "The judgments are ready");
        }}
      >
        <Days />
        <label>
          Impressions of each, at least
          <input type="number" min={1} required value={least} onInput={(event) => edit(event.currentTarget.value)} />
        </label>
        <button type="submit" class="primary" disabled={isBusy}>
          Judge by the clicks in {index === "" ? "every index" : index}
        </button>
      </form>
      <Busy isBusy={isBusy} />
      <Problem text={error} />
      {value && <Judged found={value} />}
    </section>
  );
}

function Judged({ found: { rows, of, notes, asked } }: { found: AskedJudgments }) {
  const [name, edit] = useState("");
  const [taken, take] = useReading<{ name: string }>();
  return (
    <div class="column">
      <ul>
        {notes.map((note) => (
          <li key={note}>{note}.</li>
        ))}
      </ul>
      <form
        class="row"
        aria-label="Take into a file"
        onSubmit={(event) => {
          event.preventDefault();
          void take(async () => {
            const answer = await callConsole<{ name: string }>("POST", "/api/clicks/take", { ...asked, name });
            goTo({ judgments: answer.name }, { replace: true });
            return answer;
          }, `Written to ${name}`);
        }}
      >
        <label>
          New judgments file
          <input required value={name} onInput={(event) => edit(event.currentTarget.value.trim())} />
        </label>
        <button type="submit" disabled={taken.isBusy}>
          Take all {of} into it
        </button>
      </form>
      <Busy isBusy={taken.isBusy} />
      <Problem text={taken.error} />
      {taken.value && <p>They are in the judgments file {taken.value.name}, which is chosen now.</p>}
      <div class="scroll tall" {...scrolls}>
        <table>
          <caption>{of > rows.length ? `The first ${rows.length} of ${of}` : "All"}; a grade of 1 is average</caption>
          <thead>
            <tr>
              {["query", "document", "grade", "clicks", "impressions"].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ query, document, grade, clicks, impressions }) => (
              <tr key={JSON.stringify([query, document])}>
                <th scope="row" dir="auto">
                  {query}
                </th>
                <td>{document}</td>
                <td>{grade}</td>
                <td>{clicks}</td>
                <td>{impressions}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
