import type { Estimate } from "@relevance/lib/platform/statistics/share.ts";
import { type ExperimentReport, verdictLines } from "../../experiments/report.ts";
import { type PlaceReport, placeLines } from "../../recommendations/places.ts";
import { Problem, scrolls } from "../parts.tsx";
import { goTo, place } from "../state.ts";
import { readReport, report } from "./report.ts";

const PERIODS = ["1", "7", "30", "90"];

/** The measures of a place that the table has, and their heads. */
const COLUMNS = [
  ["click_through", "click-through"],
  ["conversion", "conversion"],
  ["fallback", "fallback"],
  ["degraded", "degraded"],
  ["next", "of what users did next"],
  ["popular_next", "popular items"],
] as const satisfies readonly (readonly [keyof PlaceReport, string])[];

/** Results of each placement's lists beside popular items, and the placements' experiments. */
export function ReportView() {
  const { days } = place.value;
  const { isReading } = report.value;
  // Another period's numbers must not stand under this one.
  const { value, error } = report.value.days === days ? report.value : { value: null, error: "" };
  return (
    <section class="column wide" aria-label="What lists lead to">
      <header>
        <h2>What lists lead to</h2>
        <label>
          Days
          <select value={days} onChange={(event) => goTo({ days: event.currentTarget.value })}>
            {[...new Set([...PERIODS, days])].map((count) => (
              <option key={count}>{count}</option>
            ))}
          </select>
        </label>
        <button type="button" disabled={isReading} aria-busy={isReading} onClick={() => void readReport()}>
          {isReading ? "Reading the log" : "Measure"}
        </button>
      </header>
      <Problem text={error} />
      {!value && error === "" && <p class="note">Joins the log of answers with events. It takes some seconds.</p>}
      {value && (
        <>
          <div class="scroll" {...scrolls}>
            <table>
              <caption>Shares with their 95 % intervals</caption>
              <thead>
                <tr>
                  <th scope="col">place</th>
                  <th scope="col">lists</th>
                  {COLUMNS.map(([name, head]) => (
                    <th key={name} scope="col">
                      {head}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {value.places.map((one) => (
                  <tr key={one.place}>
                    <th scope="row">{one.place}</th>
                    <td>{one.answers}</td>
                    {COLUMNS.map(([name]) => (
                      <td key={name}>{shown(one[name])}</td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {placeLines(value).map((line) => (
            <p key={line} class="note">
              {line}
            </p>
          ))}
          {value.experiments.map((experiment) => (
            <Experiment key={experiment.experiment} experiment={experiment} />
          ))}
        </>
      )}
    </section>
  );
}

/** One experiment of a placement. */
function Experiment({ experiment }: { experiment: ExperimentReport }) {
  return (
    <section aria-label={`Experiment ${experiment.experiment}`}>
      <h3>Experiment {experiment.experiment}</h3>
      <div class="scroll" {...scrolls}>
        <table>
          <thead>
            <tr>
              <th scope="col">variant</th>
              <th scope="col">users</th>
              <th scope="col">lists</th>
              <th scope="col">click-through</th>
            </tr>
          </thead>
          <tbody>
            {experiment.variants.map(({ name, users, searches, measures }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{users}</td>
                <td>{searches}</td>
                <td>{shown(measures.click_through)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {verdictLines(experiment, "lists").map((line) => (
        <p key={line} class="note">
          {line}
        </p>
      ))}
    </section>
  );
}

function shown(estimate: Estimate | null): string {
  if (!estimate || !Number.isFinite(estimate.value)) return "–";
  const percent = (value: number) => (100 * value).toFixed(1);
  return `${percent(estimate.value)} % (${percent(estimate.low)} to ${percent(estimate.high)})`;
}
