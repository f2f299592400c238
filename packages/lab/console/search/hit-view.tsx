import { Fragment } from "preact";
import { useId, useState } from "preact/hooks";
import { type SubqueryPlace, shownRank } from "../../whereabouts/subquery-places.ts";
import { shownScore } from "./document.ts";
import { Marked } from "./marked.tsx";
import { ReasonView } from "./reason-view.tsx";
import { asked, documents, subqueries } from "./results.ts";
import { textsOf, titleOf } from "./shown.ts";
import { subqueryTitle, type Variant } from "./variants.ts";

interface Props {
  id: string;
  /** Its place in the column, from 1. */
  rank: number;
  score: number | null;
  /** The score of the first hit. */
  best: number | null;
  variant: Variant;
  /** Where the document stood in each subquery; undefined if nobody knows. */
  places: (SubqueryPlace | null)[] | undefined;
  isOnlyHere: boolean;
}

/** One hit. Opens to show why it is there. */
export function HitView({ id, rank, score, best, variant, places, isOnlyHere }: Props) {
  const [isOpen, open] = useState(false);
  const details = useId();
  const source = documents.value.get(id);
  const title = titleOf(id, source);
  const { facts, text } = textsOf(source);
  return (
    // Chromium keeps the number of an item that moves within its list, unless the item says its own.
    <li class={isOnlyHere ? "hit only" : "hit"} value={rank}>
      <button
        type="button"
        class="title"
        dir="auto"
        aria-expanded={isOpen}
        aria-controls={details}
        onClick={() => open(!isOpen)}
      >
        {title}
      </button>
      {facts.length > 0 && (
        <p class="facts" dir="auto">
          {facts.join(" · ")}
        </p>
      )}
      {!isOpen && text !== "" && (
        <p class="snippet" dir="auto">
          <Marked text={text} query={asked.value?.query ?? ""} isShort />
        </p>
      )}
      <span class="line">
        {score !== null && (
          <>
            <meter min={0} max={Math.max(best ?? 0, 1e-9)} value={score} aria-label={`score of ${title}`} />
            <span class="number">{shownScore(score)}</span>
          </>
        )}
        <Places places={places} />
        {isOnlyHere && <span class="tag">only here</span>}
      </span>
      <div id={details} hidden={!isOpen}>
        {isOpen && <ReasonView id={id} variant={variant} />}
      </div>
    </li>
  );
}

function Places({ places }: { places: (SubqueryPlace | null)[] | undefined }) {
  const all = subqueries.value;
  if (!places || all.length < 2) return null;
  const words = all.map((subquery, index) => {
    const place = places[index];
    return `${subqueryTitle(subquery, all)}: ${place ? `rank ${place.rank}${place.isTied ? ", tied" : ""}` : "not among its candidates"}`;
  });
  return (
    <span class="places" title={words.join("\n")}>
      <span aria-hidden="true">
        {all.map((subquery, index) => {
          const place = places[index];
          return (
            <Fragment key={subquery.name}>
              {index > 0 && " "}
              <b class={place ? subquery.kind : "absent"}>
                {subquery.kind[0]}
                {place ? shownRank(place) : "–"}
              </b>
            </Fragment>
          );
        })}
      </span>
      <span class="hidden">{words.join(", ")}</span>
    </span>
  );
}
