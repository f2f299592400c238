import { shown as fixed } from "../../evaluation/sentences.ts";
import { tuningText } from "../../tuning/sentences.ts";
import { Drawing, scrolls } from "../parts.tsx";
import { subqueries, variants } from "../search/results.ts";
import { subqueryTitle } from "../search/variants.ts";
import { goTo, setup } from "../state.ts";
import { DefaultsView } from "./defaults-view.tsx";
import type { Shown } from "./runs.ts";

/** A tuning: the best settings, whether the gain is real, and what writing them would change. */
export function TuningView({ run }: { run: Extract<Shown, { kind: "tune" }> }) {
  const { best, current, tuned, gain, isReal, settings } = run.result;
  const { weights, normalization, combination, candidates, k } = best;
  const compare = () => {
    const name = `tuned ${variants.value.length + 1}`;
    const variant = {
      kind: "hybrid",
      name,
      settings: { weights: weights && [...weights], normalization, combination },
    } as const;
    goTo({ view: "search", variants: [...variants.value, variant] });
  };
  return (
    <section aria-label="Tuning">
      <h2 class="verdict">{tuningText(run.result)}</h2>
      <div class="column">
        <div class="scroll" {...scrolls}>
          <table>
            <caption>{settings} settings, computed from one retrieval of the queries</caption>
            <tbody>
              <tr>
                <th scope="row">current settings</th>
                <td>{fixed(current)}</td>
              </tr>
              <tr>
                <th scope="row">best settings, on the queries that chose them (too optimistic)</th>
                <td>{fixed(tuned)}</td>
              </tr>
              <tr>
                <th scope="row">gain on queries that were not used for the choice (95 % interval)</th>
                <td>{`${fixed(gain.mean)} (${fixed(gain.low)} to ${fixed(gain.high)})`}</td>
              </tr>
              <tr>
                <th scope="row">best settings</th>
                <td>
                  {weights ? `weights ${weights.join(", ")}` : "equal weights"}; {normalization}; {combination};{" "}
                  {candidates} candidates{k === null ? "" : `; k ${k}`}
                </td>
              </tr>
            </tbody>
          </table>
        </div>
        {run.picture !== undefined && (
          <Drawing
            kind="surface"
            svg={run.picture}
            caption={`Subqueries: ${subqueries.value.map((subquery, index) => `${index + 1} ${subqueryTitle(subquery, subqueries.value)}`).join(", ")}. The frame marks the best of these cells. All are means of the same queries, so neighbours may differ by chance.`}
          />
        )}
        <div class="row">
          <button type="button" onClick={compare}>
            Compare in Search
          </button>
          <p class="note grow">
            makes a column of the best settings, whose hits Judge shows then. Measured on these judgments again, the
            column looks better than it is: they chose it.
          </p>
        </div>
        {setup.value?.can.write && !isReal && (
          <p class="note">
            The verdict does not support these settings: `relevance tune --write` would not write them.
          </p>
        )}
        {setup.value?.can.write && (
          <DefaultsView
            index={run.index}
            defaults={{ weights: weights && [...weights], normalization, combination, candidates }}
            isSupported={isReal}
          />
        )}
      </div>
    </section>
  );
}
