import { table } from "@relevance/lib/platform/table.ts";
import { shown } from "../evaluation/sentences.ts";
import type { Preview } from "./preview.ts";
import { previewText } from "./sentences.ts";

/** Returns what a change does to each query in a table, without the unchanged ones, and in sentences. */
export function previewTable(preview: Preview): string {
  const number = (value: number | null) => (value === null ? "" : shown(value));
  const rows = preview.queries.flatMap(({ query, outcome, before, after, entered, left, moved, told }) =>
    outcome === "unchanged"
      ? []
      : [
          [
            ...[query, outcome, number(before), number(after), entered.join(" "), left.join(" ")],
            [...(moved ? ["order"] : []), ...(told ? ["page"] : [])].join(", "),
          ],
        ],
  );
  const head = ["query", "outcome", preview.names[0], preview.names[1], "entered", "left", "also changed"];
  return [...(rows.length > 0 ? [`${table(head, rows)}\n`] : []), previewText(preview)].join("\n");
}
