import { placesOf } from "../../whereabouts/subquery-places.ts";
import type { Comparison } from "./comparison-html.ts";
import { snippetOf } from "./marked.tsx";
import { asked, candidates, columnOf, documents, settingsOf, subqueries, variants } from "./results.ts";
import { textsOf, titleOf } from "./shown.ts";
import type { Variant } from "./variant.ts";
import { subqueryTitle, variantTitle } from "./variants.ts";

/** Returns what Search shows. */
export function comparison(): Comparison {
  const { query = "", index = "", user = "" } = asked.value ?? {};
  const { value } = candidates.value;
  const places = value ? placesOf(value) : undefined;
  const all = variants.value.map((variant) => ({ variant, column: columnOf(variant) }));
  const isElsewhere = (own: Variant, id: string) =>
    all.some(({ variant, column }) => variant !== own && column.hits.some((hit) => hit.id === id));
  const hitsOf = ({ variant, column }: (typeof all)[number]) =>
    column.hits.map(({ id, score }) => {
      const source = documents.value.get(id);
      const { facts, text } = textsOf(source);
      return {
        ...{ id, score, title: titleOf(id, source) },
        below: [...facts, snippetOf(text, query)].filter((part) => part !== "").join(" · "),
        places: value ? (places?.get(id) ?? subqueries.value.map(() => null)) : undefined,
        isOnlyHere: all.length > 1 && !isElsewhere(variant, id),
      };
    });
  return {
    ...{ query, index, isForUser: user !== "", when: new Date() },
    subqueries: subqueries.value.map((subquery) => subqueryTitle(subquery, subqueries.value)),
    columns: all.map(({ variant, column }) => ({
      title: variantTitle(variant, subqueries.value),
      settings: settingsText(variant),
      total: column.total,
      degraded: column.degraded.map(({ stage, effect }) => `${stage}: ${effect}`),
      isFailed: column.state === "error",
      hits: hitsOf({ variant, column }),
    })),
  };
}

function settingsText(variant: Variant): string {
  if (variant.kind === "own") return "a template of its own";
  if (variant.kind === "template") return `the template ${variant.template}`;
  if (variant.kind === "subquery") return "";
  if (variant.kind === "plain") {
    const boosts = Object.entries(variant.boosts).map(([field, boost]) => `${field} × ${boost}`);
    return [...boosts, ...(variant.filter === "" ? [] : [`only ${variant.filter}`])].join("; ");
  }
  const { weights, normalization, combination } = settingsOf(variant);
  const shares = weights?.map((weight, at) => `${subqueries.value[at]?.kind} ${weight}`).join(", ") ?? "equal weights";
  return `${shares}; ${normalization}, ${combination}`;
}
