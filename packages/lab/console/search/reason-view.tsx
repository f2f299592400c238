import { COMBINATION_FACTS } from "@relevance/lib/platform/contract/search.ts";
import { useState } from "preact/hooks";
import { shownRank } from "../../whereabouts/subquery-places.ts";
import { scrolls } from "../parts.tsx";
import { hashOf, place } from "../state.ts";
import { shownScore } from "./document.ts";
import { explainScore } from "./places.ts";
import { asked, candidates, configured, documents, explain, settingsOf, subqueries } from "./results.ts";
import type { Variant } from "./variant.ts";
import { subqueryTitle } from "./variants.ts";

interface Explanation {
  value: number;
  description: string;
  details?: Explanation[];
}

/** Why a document is where it is, subquery by subquery; and the document. */
export function ReasonView({ id, variant }: { id: string; variant: Variant }) {
  const [told, tell] = useState<{ tree?: Explanation; error?: string; asking?: AbortController }>({});
  const { value } = candidates.value;
  const settings = variant.kind === "hybrid" ? settingsOf(variant) : configured.value;
  const reason = value ? explainScore(value, settings, id) : undefined;
  const all = subqueries.value;
  const ask = async () => {
    const asking = new AbortController();
    tell({ asking });
    try {
      const tree = (await explain(variant, id, asking.signal)) as Explanation | undefined;
      tell(tree ? { tree } : { error: "The cluster gave no explanation for this document." });
    } catch (error) {
      tell(asking.signal.aborted ? {} : { error: (error as Error).message });
    }
  };
  return (
    <div class="reason">
      {reason && variant.kind !== "own" && variant.kind !== "template" && (
        <div class="scroll" {...scrolls}>
          <table>
            <caption>
              {variant.kind === "hybrid"
                ? `${COMBINATION_FACTS[settings.combination].of === "ranks" ? "" : `${settings.normalization}, `}${settings.combination}: ${shownScore(reason.score)}`
                : "Rank and score in each subquery"}
            </caption>
            <thead>
              <tr>
                <th scope="col">subquery</th>
                <th scope="col">rank</th>
                <th scope="col">score</th>
                {variant.kind === "hybrid" && (
                  <>
                    <th scope="col" title="normalized score">
                      norm.
                    </th>
                    <th scope="col">weight</th>
                    <th scope="col">adds</th>
                  </>
                )}
              </tr>
            </thead>
            <tbody>
              {all.map((subquery, index) => {
                const share = reason.shares[index];
                return (
                  <tr key={subquery.name}>
                    <th scope="row">{subqueryTitle(subquery, all)}</th>
                    <td>{share?.place ? shownRank(share.place) : "–"}</td>
                    <td>{share?.place ? shownScore(share.place.score) : "–"}</td>
                    {variant.kind === "hybrid" && (
                      <>
                        <td>{shownScore(share?.normalized ?? 0)}</td>
                        <td>{shownScore(share?.weight ?? 0)}</td>
                        <td>{share?.contribution == null ? "–" : shownScore(share.contribution)}</td>
                      </>
                    )}
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
      {value && !reason && <p class="note">It is not among the candidates of any subquery.</p>}
      {told.tree ? (
        <Tree node={told.tree} />
      ) : (
        asked.value && (
          <p class="line">
            <button type="button" disabled={told.asking !== undefined} onClick={() => void ask()}>
              {told.asking ? "Asking the cluster …" : "Explain in the cluster's words"}
            </button>
            {told.asking && (
              <button type="button" onClick={() => told.asking?.abort()}>
                Cancel
              </button>
            )}
          </p>
        )
      )}
      {told.error && (
        <p class="problem" role="alert">
          {told.error}
        </p>
      )}
      <p>
        <a href={hashOf({ ...place.value, document: id })}>Where is it in every column?</a>
      </p>
      <details>
        <summary>Document {id}</summary>
        <pre>{JSON.stringify(documents.value.get(id) ?? {}, undefined, 2)}</pre>
      </details>
    </div>
  );
}

function Tree({ node }: { node: Explanation }) {
  return (
    <ul class="tree">
      <li>
        {shownScore(node.value)} {node.description}
        {node.details?.map((detail, index) => (
          <Tree key={index} node={detail} />
        ))}
      </li>
    </ul>
  );
}
