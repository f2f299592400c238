import type { Column } from "./columns.ts";
import type { Proposal } from "./proposal.ts";

/** Characters of a keyword that is searched; longer values would be refused by Lucene (32,766 bytes). */
const KEYWORD = { type: "keyword", ignore_above: 1_024 };

/** Returns settings and mappings of the index, without the fields of embeddings, which `relevance index create` adds. */
export function schemaOf({ columns, title, analyzer }: Proposal): object {
  const properties: Properties = {};
  for (const column of columns) {
    const names = column.field.split(".");
    let inside = properties;
    for (const name of names.slice(0, -1)) {
      const object = (inside[name] ?? { properties: {} }) as { properties: Properties };
      inside[name] = object;
      inside = object.properties;
    }
    inside[names.at(-1) ?? ""] = {
      ...fieldOf(column, analyzer),
      ...(column === title && { fields: { keyword: KEYWORD } }),
    };
  }
  return { settings: { index: {} }, mappings: { properties } };
}

interface Properties {
  [name: string]: object;
}

function fieldOf({ type }: Column, analyzer: string): object {
  if (type === "text") return { type, ...(analyzer !== "standard" && { analyzer }) };
  if (type === "keyword") return KEYWORD;
  if (type === "stored") return { type: "keyword", index: false, doc_values: false };
  return { type };
}
