import { computed } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Curl } from "../parts.tsx";
import { place, setup } from "../state.ts";
import { HitView } from "./hit-view.tsx";
import {
  asked,
  type Column,
  columnOf,
  readDocuments,
  searchWith,
  subqueries,
  subqueryPlaces,
  variants,
} from "./results.ts";
import type { Variant } from "./variant.ts";
import { VariantSettings } from "./variant-settings.tsx";
import { callOf, variantTitle } from "./variants.ts";

/** Whether no column has a hit. An index in which one of them finds something is not empty. */
const isNothingFound = computed(() =>
  variants.value.map(columnOf).every(({ state, hits }) => state === "done" && hits.length === 0),
);

/** Whether a search has no answer yet. Until then nobody knows whether an error is that of all searches. */
export const isSearching = computed(() => variants.value.some((variant) => columnOf(variant).state === "loading"));

interface Props {
  variant: Variant;
  /** Whether it is the one that a phone shows. */
  isCurrent: boolean;
  onChange: (variant: Variant) => void;
  onRemove: (() => void) | undefined;
}

/** One variant: its settings, its hits, and what it cost. */
export function ColumnView({ variant, isCurrent, onChange, onRemove }: Props) {
  const column = columnOf(variant);
  const title = variantTitle(variant, subqueries.value);
  const ids = column.hits.map(({ id }) => id);
  useEffect(() => {
    void readDocuments(ids).catch(() => undefined);
  }, [ids.join()]);
  const places = subqueryPlaces.value;
  const elsewhere = new Set(
    variants.value.filter((other) => other !== variant).flatMap((other) => columnOf(other).hits.map(({ id }) => id)),
  );
  const kind =
    variant.kind === "subquery" ? subqueries.value.find(({ name }) => name === variant.subquery)?.kind : variant.kind;
  const isFailed = column.state === "error";
  const isAlone = variants.value.length < 2;
  return (
    <section class={isCurrent ? "column current" : "column"} aria-label={title}>
      <header>
        <h2 class={`of ${kind}`}>{title}</h2>
        <Cost column={column} />
        {onRemove && (
          <button type="button" class="quiet" aria-label={`Remove ${title}`} onClick={onRemove}>
            ×
          </button>
        )}
      </header>
      <VariantSettings variant={variant} onChange={onChange} />
      {column.isComputed && (
        <p class="note">
          Computed here from the same candidates.{" "}
          <button type="button" class="link" onClick={() => void searchWith(variant)}>
            Ask the gateway
          </button>
        </p>
      )}
      {(column.state === "loading" || (isFailed && isSearching.value)) && <p class="note">Searching …</p>}
      {isFailed && !isSearching.value && (
        <p class="problem" role="alert">
          {column.error}
        </p>
      )}
      {column.experiment && (
        <p class="note">
          The experiment {column.experiment.name} gave {place.value.user} its variant {column.experiment.variant}.
        </p>
      )}
      {column.degraded.map(({ stage, target, reason, effect }) => (
        <p key={stage + target} class="warning">
          <strong>degraded: {stage}</strong> {target} – {reason}: {effect}
        </p>
      ))}
      {column.rules.length > 0 && <p class="note">Rules that apply: {column.rules.join(", ")}</p>}
      <Facets facets={column.facets} />
      {column.state === "done" && column.hits.length === 0 && (
        <p class="note">
          No hits.{isNothingFound.value && " If the index is new, fill it with POST /application/bulk."}
        </p>
      )}
      <ol class="hits">
        {column.hits.map(({ id, score }, at) => (
          <HitView
            key={id}
            id={id}
            rank={at + 1}
            score={score}
            best={column.hits[0]?.score ?? null}
            variant={variant}
            places={places?.get(id)}
            isOnlyHere={!isAlone && !elsewhere.has(id)}
          />
        ))}
      </ol>
      {column.state === "done" && column.total !== "" && <p class="note">{column.total}</p>}
      {asked.value && column.state === "done" && (
        <Curl url={setup.value?.gateway ?? ""} call={callOf(variant, asked.value)} title={title} />
      )}
    </section>
  );
}

/** What the facets of a search count. */
function Facets({ facets }: Pick<Column, "facets">) {
  const all = Object.entries(facets);
  return all.length === 0 ? null : (
    <details class="note">
      <summary>Facets</summary>
      <dl>
        {all.map(([name, buckets]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd dir="auto">{buckets.map(({ value, count }) => `${value} ${count}`).join(", ")}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function Cost({ column: { milliseconds, stages } }: { column: Column }) {
  if (milliseconds === 0) return null;
  const parts = Object.entries(stages).filter(([stage]) => stage !== "total");
  const title = [
    `${milliseconds} ms from here to the gateway and back`,
    ...parts.map(([stage, ms]) => `${stage} ${ms} ms`),
  ];
  return (
    <details class="cost">
      <summary>
        {milliseconds} ms<span class="hidden">, by stage</span>
      </summary>
      <ul>
        {title.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </details>
  );
}
