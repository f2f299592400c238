import type { Interval } from "@relevance/lib/platform/statistics/bootstrap.ts";
import { useState } from "preact/hooks";
import { htmlReport } from "../../evaluation/html.ts";
import { type EvaluatedSetting, shareOf } from "../../evaluation/scores.ts";
import {
  FINDINGS,
  shown as fixed,
  hasDifferenceInterval,
  hasIntervals,
  percent,
  range,
  verdictText,
} from "../../evaluation/sentences.ts";
import { differenceBars, intervalChart } from "../../plots/charts.ts";
import { Drawing, Problem, saveFile, scrolls } from "../parts.tsx";
import { hashOf, place } from "../state.ts";
import type { Shown } from "./runs.ts";

type Evaluated = Extract<Shown, { kind: "evaluate" }>;

/** An evaluation: means, differences from the baseline, and the queries that gain and lose. */
export function EvaluationView({ run }: { run: Evaluated }) {
  const { result } = run;
  const { settings, metrics, verdict } = result;
  const [baseline, ...others] = settings;
  const [metric = ""] = metrics;
  const [chosen, choose] = useState(verdict.better[0] ?? others[0]?.name ?? "");
  const bounded = others.filter(({ name }) => hasDifferenceInterval(result, name));
  const other = others.find(({ name }) => name === chosen) ?? others[0];
  const difference = (setting: EvaluatedSetting) => setting.scores[metric]?.difference ?? NOTHING;
  return (
    <section aria-label="Evaluation">
      <h2 class="verdict">{verdictText(result)}</h2>
      {result.warnings?.map((warning) => (
        <Problem key={warning} text={warning} />
      ))}
      <p class="bar">
        <button type="button" onClick={() => saveHtml(run)}>
          Save as HTML
        </button>
      </p>
      <div class="column">
        <p class="note">
          {result.queries.length} queries of the file {run.judgments}. Intervals are 95 %; those of the differences hold
          at once for all variants. They say how much other such queries could change, and nothing of unjudged hits.
          {baseline && ` ▲ is better than ${baseline.name} by more than noise.`}
        </p>
        <div class="scroll" {...scrolls}>
          <table>
            <thead>
              <tr>
                <th scope="col">variant</th>
                <th scope="col">{metric} difference</th>
                <th scope="col" class="text">
                  verdict
                </th>
                <th scope="col">judged hits</th>
                {metrics.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
                <th scope="col">p50 ms</th>
                <th scope="col">p95 ms</th>
              </tr>
            </thead>
            <tbody>
              {settings.map((setting, position) => {
                const own = difference(setting);
                const finding = verdict.comparisons.find(({ name }) => name === setting.name)?.finding;
                return (
                  <tr key={setting.name} class={verdict.better.includes(setting.name) ? "better" : ""}>
                    <th scope="row">
                      {position === 0 ? (
                        setting.name
                      ) : (
                        // It also lets the keyboard scroll a table that is wider than the screen.
                        <button type="button" class="link" onClick={() => choose(setting.name)}>
                          {setting.name}
                        </button>
                      )}
                    </th>
                    <td>
                      {position === 0 ? (
                        "baseline"
                      ) : (
                        <Mean interval={own} isBounded={hasDifferenceInterval(result, setting.name)} />
                      )}
                    </td>
                    <td class="text word">{finding && FINDINGS[finding]}</td>
                    <td>{percent(shareOf(setting.judged))}</td>
                    {metrics.map((name) => (
                      <td key={name}>
                        <Mean interval={setting.scores[name]?.mean} isBounded={hasIntervals(result, name)} />
                      </td>
                    ))}
                    <td>{Math.round(setting.milliseconds.p50)}</td>
                    <td>{Math.round(setting.milliseconds.p95)}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
        <p class="note">
          Milliseconds are those of one search for each query, several at a time, the first variant with cold caches: no
          comparison of speeds.
        </p>
        {baseline && bounded.length > 0 && (
          <Drawing
            caption={`${metric}: difference from ${baseline.name}, with 95 % intervals`}
            svg={intervalChart(
              `${metric}: difference from ${baseline.name}, with 95 % intervals`,
              bounded.map((setting) => ({ name: setting.name, interval: difference(setting) })),
            )}
          />
        )}
      </div>
      {baseline && other && (
        <div class="column more">
          <div class="row">
            <h3 class="grow">Query by query</h3>
            <label>
              Queries of
              <select value={other.name} onChange={(event) => choose(event.currentTarget.value)}>
                {others.map(({ name }) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            </label>
          </div>
          <Queries run={run} baseline={baseline} other={other} metric={metric} />
        </div>
      )}
    </section>
  );
}

/** A mean, and below it its interval. */
function Mean({ interval = NOTHING, isBounded }: { interval?: Interval | undefined; isBounded: boolean }) {
  return (
    <>
      {fixed(interval.mean)}
      {isBounded && <span class="interval"> ({range(interval)})</span>}
    </>
  );
}

const NOTHING: Interval = { mean: 0, low: 0, high: 0 };

/** Saves the page that `relevance evaluate --html` writes, which anybody can read without the console. */
function saveHtml({ result, index, id }: Evaluated): void {
  const page = htmlReport({ ...result, warnings: result.warnings ?? [] }, `Evaluation of ${index}`);
  saveFile(`${id || "evaluation"}.html`, page);
}

interface QueriesProps {
  run: Evaluated;
  baseline: EvaluatedSetting;
  other: EvaluatedSetting;
  metric: string;
}

function Queries({ run, baseline, other, metric }: QueriesProps) {
  const rows = run.result.queries.map((query, index) => {
    const before = baseline.scores[metric]?.values[index] ?? 0;
    const after = other.scores[metric]?.values[index] ?? 0;
    return { query, before, after, gain: after - before };
  });
  const sorted = [...rows].sort((a, b) => b.gain - a.gain);
  return (
    <div class="plots">
      <Drawing
        caption={`${metric} of ${other.name} minus ${baseline.name}, one bar for each query`}
        svg={differenceBars(
          `${metric} of ${other.name} minus ${baseline.name}, one bar for each query`,
          rows.map(({ gain }) => gain),
        )}
      />
      <div class="scroll tall" {...scrolls}>
        <table>
          <caption>Queries, the largest gain first; a click searches for one</caption>
          <thead>
            <tr>
              <th scope="col">query</th>
              <th scope="col">{baseline.name}</th>
              <th scope="col">{other.name}</th>
              <th scope="col">difference</th>
            </tr>
          </thead>
          <tbody>
            {sorted.map(({ query, before, after, gain }) => (
              <tr key={query}>
                <th scope="row">
                  <a href={hashOf({ ...place.value, view: "search", query })}>{query}</a>
                </th>
                <td>{fixed(before)}</td>
                <td>{fixed(after)}</td>
                <td>{`${gain > 0 ? "+" : ""}${fixed(gain)}`}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
