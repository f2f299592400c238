import { Fragment } from "preact";
import { useId, useState } from "preact/hooks";
import type { SubqueryPlace } from "../../whereabouts/subquery-places.ts";
import { shownScore } from "./document.ts";
import { Marked } from "./marked.tsx";
import { ReasonView } from "./reason-view.tsx";
import { asked, documents, subqueries } from "./results.ts";
import { pictureOf, textsOf, titleOf } from "./shown.ts";
import type { Variant } from "./variant.ts";

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
  const picture = pictureOf(source);
  const query = asked.value?.query ?? "";
  return (
    // Set `value`, because Chromium does not renumber a list item that moves.
    <li class={isOnlyHere ? "hit only" : "hit"} value={rank}>
      <button
        type="button"
        class="title"
        dir="auto"
        aria-expanded={isOpen}
        aria-controls={details}
        onClick={() => open(!isOpen)}
      >
        <Marked text={title} query={query} />
      </button>
      {picture !== undefined && (
        <img class="picture" src={picture} alt="" loading="lazy" onError={(event) => event.currentTarget.remove()} />
      )}
      {facts.length > 0 && (
        <p class="facts" dir="auto">
          <Marked text={facts.join(" · ")} query={query} />
        </p>
      )}
      {!isOpen && text !== "" && (
        <p class="snippet" dir="auto">
          <Marked text={text} query={query} isShort />
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

/** How each kind of subquery finds, in words. */
const BY = { keyword: "words", dense: "meaning", sparse: "related words" } as const;

/** Where the hit stood in each subquery, in words: 1st by words, 9th by meaning. */
function Places({ places }: { places: (SubqueryPlace | null)[] | undefined }) {
  const all = subqueries.value;
  if (!places || all.length < 2) return null;
  return (
    <span class="places">
      {all.map((subquery, index) => {
        const place = places[index];
        const isOne = all.filter(({ kind }) => kind === subquery.kind).length < 2;
        const by = isOne ? BY[subquery.kind] : `${BY[subquery.kind]} of ${subquery.name}`;
        return (
          <Fragment key={subquery.name}>
            {index > 0 && " "}
            <b class={place ? subquery.kind : "absent"}>
              {place ? `${ordinal(place.rank)}${place.isTied ? ", tied," : ""} by ${by}` : `not by ${by}`}
            </b>
          </Fragment>
        );
      })}
    </span>
  );
}

const ENDINGS = { one: "st", two: "nd", few: "rd", other: "th" } as Readonly<Record<string, string>>;
const ordinals = new Intl.PluralRules("en", { type: "ordinal" });
const ordinal = (rank: number): string => `${rank}${ENDINGS[ordinals.select(rank)]}`;
