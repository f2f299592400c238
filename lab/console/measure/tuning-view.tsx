import { shown as fixed } from "../../evaluation/sentences.ts";
import { Drawing } from "../parts.tsx";
import { legs, variants } from "../search/results.ts";
import { legTitle } from "../search/variants.ts";
import { goTo, setup } from "../state.ts";
import { DefaultsView } from "./defaults-view.tsx";
import type { Shown } from "./runs.ts";

/** A tuning: the best settings, whether the gain is real, and what writing them would change. */
export function TuningView({ run }: { run: Extract<Shown, { kind: "tune" }> }) {
  const { best, current, tuned, gain, isReal, doubt, settings } = run.result;
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
      <h2 class="verdict">
        {isReal
          ? "The best settings are better by more than noise."
          : `${doubt ?? "No difference: the gain is not more than noise."} Keep the current settings.`}
      </h2>
      <div class="column">
        <div class="scroll">
          <table>
            <caption>{settings} settings, computed from one retrieval of the queries</caption>
            <tbody>
              <tr>
                <th scope="row">current settings</th>
                <td>{fixed(current)}</td>
              </tr>
              <tr>
                <th scope="row">best on all queries (optimistic)</th>
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
            caption={`Subqueries: ${legs.value.map((leg, index) => `${index + 1} ${legTitle(leg, legs.value)}`).join(", ")}. The frame marks the best of these cells.`}
          />
        )}
        <div class="row">
          <button type="button" onClick={compare}>
            Compare in Search
          </button>
        </div>
        {setup.value?.can.write && !isReal && <p class="note">`relevance tune --write` would write nothing here.</p>}
        {setup.value?.can.write && (
          <DefaultsView
            index={run.index}
            defaults={{ weights: weights && [...weights], normalization, combination, candidates }}
          />
        )}
      </div>
    </section>
  );
}
