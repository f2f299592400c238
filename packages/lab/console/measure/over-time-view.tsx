import { FEWEST_DIFFERENCES } from "@relevance/lib/platform/statistics/resampling.ts";
import { useEffect, useState } from "preact/hooks";
import { timeChart } from "../../plots/time-chart.ts";
import type { RunOverTime } from "../../server/runs.ts";
import { callConsole } from "../api.ts";
import { Drawing, Problem, scrolls } from "../parts.tsx";
import { dayAndTime } from "../recommend/status.ts";
import { hashOf, place } from "../state.ts";

/** The evaluations of an index by one judgments file, over time: a small chart for each metric. */
export function OverTimeView() {
  const { index, judgments } = place.value;
  const [{ runs, error }, set] = useState<{ runs: RunOverTime[] | null; error: string }>({ runs: null, error: "" });
  const [chosen, choose] = useState("");
  useEffect(() => {
    let isCurrent = true;
    callConsole<{ runs: RunOverTime[] }>(
      "GET",
      `/api/runs/over-time?${new URLSearchParams({ index, judgments })}`,
    ).then(
      ({ runs: found }) => isCurrent && set({ runs: found, error: "" }),
      ({ message }: Error) => isCurrent && set({ runs: null, error: message }),
    );
    return () => {
      isCurrent = false;
    };
  }, [index, judgments]);
  const names = [...new Set(runs?.flatMap(({ settings }) => settings.map(({ name }) => name)) ?? [])];
  const name = names.includes(chosen) ? chosen : (names.at(-1) ?? "");
  const points = (runs ?? []).flatMap(({ id, when, queries, settings }) => {
    const setting = settings.find((one) => one.name === name);
    return setting ? [{ id, when, queries, means: setting.means }] : [];
  });
  const metrics = [...new Set(points.flatMap(({ means }) => Object.keys(means)))];
  return (
    <section aria-label="Over time">
      <Problem text={error} />
      {runs?.length === 0 && (
        <p class="empty">
          There is no evaluation of {index} on {judgments} yet. Each one that you start becomes a point here.
        </p>
      )}
      {names.length > 0 && (
        <div class="row">
          <label>
            Variant
            <select value={name} onChange={(event) => choose(event.currentTarget.value)}>
              {names.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
          <p class="note grow">
            Means with their 95 % intervals. The judgments file may have changed between two evaluations: compare the
            numbers of queries. Settings are compared fairly within one evaluation, where their searches are paired.
          </p>
        </div>
      )}
      <div class="charts">
        {metrics.map((metric) => (
          <Drawing
            key={metric}
            svg={timeChart(
              `${metric} of ${name} over time`,
              points.flatMap(({ when, means, queries }) => {
                const interval = means[metric];
                if (!interval) return [];
                const { mean } = interval;
                return [{ when, interval: queries < FEWEST_DIFFERENCES ? { mean, low: mean, high: mean } : interval }];
              }),
            )}
          />
        ))}
      </div>
      {points.length > 0 && (
        <div class="scroll" {...scrolls}>
          <table>
            <thead>
              <tr>
                {["evaluation", "queries", ...metrics].map((title) => (
                  <th key={title} scope="col">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {points.map(({ id, when, queries, means }) => (
                <tr key={id}>
                  <th scope="row">
                    <a href={hashOf({ ...place.value, tab: "", run: id })}>{dayAndTime(when)}</a>
                  </th>
                  <td>{queries}</td>
                  {metrics.map((metric) => (
                    <td key={metric}>
                      {means[metric] &&
                        `${means[metric].mean.toFixed(4)} (${means[metric].low.toFixed(4)} to ${means[metric].high.toFixed(4)})`}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
