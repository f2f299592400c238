import { useEffect } from "preact/hooks";
import { Problem, scrolls } from "../parts.tsx";
import { setup } from "../state.ts";
import { shared } from "./recommendations.ts";
import { dayAndTime, readStatus, status, versionsOf } from "./status.ts";

const NDCG = "normalized_discounted_cumulative_gain_at_25";

/** Running work, trained versions and filters. */
export function StatusView() {
  const { value: found, error } = status.value;
  useEffect(() => {
    void readStatus();
  }, []);
  const serving = new Set(found?.campaigns.map((campaign) => campaign.solution_version_arn));
  const versions = found ? versionsOf(found) : [];
  const best = Math.max(1e-9, ...versions.map(({ version }) => version.metrics?.[NDCG] ?? 0));
  return (
    <section class="column" aria-label="Training and filters">
      <header>
        <h2>Training and filters</h2>
        <button type="button" class="link" onClick={() => void readStatus()}>
          Read again
        </button>
      </header>
      <Problem text={error === shared.value ? "" : error} />
      {found && (
        <>
          <p class="note">
            {found.training
              ? `In progress or interrupted: ${found.training.mode} of ${found.training.recipes.join(", ")}, since ${dayAndTime(found.training.startedAt)}${found.training.note ? `; ${found.training.note.detail}` : ""}`
              : "No training is in progress."}
            {versions.length === 0 &&
              ` Nothing is trained yet: run \`${setup.value?.local ? "make demo-train" : "relevance train"}\`.`}
          </p>
          {versions.length > 0 && (
            <div class="scroll" {...scrolls}>
              <table>
                <caption>Models, the newest first</caption>
                <thead>
                  <tr>
                    <th scope="col">recipe</th>
                    <th scope="col">version</th>
                    <th scope="col">status</th>
                    <th scope="col">NDCG@25</th>
                    <th scope="col">use</th>
                    <th scope="col">updated</th>
                  </tr>
                </thead>
                <tbody>
                  {versions.map(({ solution, version }) => (
                    <tr key={version.arn}>
                      <th scope="row">{solution.recipe ?? solution.name}</th>
                      <td>{version.name}</td>
                      <td>{version.failure_reason ?? version.status}</td>
                      <td>
                        <Metric value={version.metrics?.[NDCG]} best={best} of={version.name} />
                      </td>
                      <td>{serving.has(version.arn) && <span class="tag given">serves</span>}</td>
                      <td>{dayAndTime(version.last_updated)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
              <p class="note">
                Personalize measured NDCG@25 itself, on the newest events of test users, items that they had seen before
                included. It compares versions; a test through the API measures something else.
              </p>
            </div>
          )}
          {found.filters.length > 0 && (
            <div class="scroll" {...scrolls}>
              <table>
                <caption>Filters</caption>
                <thead>
                  <tr>
                    <th scope="col">name</th>
                    <th scope="col">status</th>
                    <th scope="col" class="text">
                      expression
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {found.filters.map(({ name, status: state, failure_reason, expression }) => (
                    <tr key={name}>
                      <th scope="row">{name}</th>
                      <td>{failure_reason ?? state}</td>
                      <td class="text">{expression}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
        </>
      )}
    </section>
  );
}

function Metric({ value, best, of }: { value: number | undefined; best: number; of: string }) {
  if (value === undefined) return "–";
  return (
    <>
      <meter min={0} max={best} value={value} aria-label={`NDCG@25 of ${of}`} />
      {value.toFixed(4)}
    </>
  );
}
