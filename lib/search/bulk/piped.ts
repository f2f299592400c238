import { lookup } from "../../platform/json/lookup.ts";
import { deadlineWithin } from "../../platform/resilience/deadline.ts";
import { textKey } from "../../platform/words.ts";
import type { DegradedWrite } from "./answer.ts";
import { sourceText } from "./needs.ts";
import type { Operation } from "./operations.ts";
import type { Preparation } from "./prepare.ts";
import type { ItemResult } from "./send.ts";
import { readStored } from "./stored.ts";

/** Time limit (ms) for reading what ingest pipelines have stored. */
const READ_MS = 2_000;

/**
 * Returns the writes whose source fields an ingest pipeline of the index changed after they were embedded, by reading the
 * stored documents. None for embeddings that are degraded anyway, for documents that have changed since, and if they cannot
 * be read in time.
 */
export async function changedByPipeline(
  { cluster, target, deadline, embedded: needs }: Preparation,
  results: ReadonlyMap<Operation, ItemResult>,
  degraded: readonly DegradedWrite[],
): Promise<DegradedWrite[]> {
  if (needs.size === 0) return [];
  const embedded = [...needs].flatMap(([operation, own]) => {
    const guard = results.get(operation)?.guard;
    return guard && own.some(({ kind }) => kind === "text" || kind === "empty") ? [{ operation, own, guard }] : [];
  });
  const paths = [...new Set(target.mappings.flatMap(({ src_fields }) => src_fields))];
  const ids = [...new Map(embedded.map(({ operation }) => [operation.id, operation])).values()];
  const within = deadlineWithin(READ_MS, deadline);
  const stored = await readStored(cluster, target.readName, ids, within, paths).catch(() => undefined);
  return embedded.flatMap(({ operation, own, guard }) => {
    const document = stored?.get(operation.id);
    if (!document || document.guard.seqNo !== guard.seqNo) return [];
    const fields = JSON.parse(document.source) as Record<string, unknown>;
    return target.mappings.flatMap(({ embedding_field: field, src_fields, hidden }, at): DegradedWrite[] => {
      const need = own[at];
      if ((need?.kind !== "text" && need?.kind !== "empty") || hidden) return [];
      if (degraded.some((one) => one.operation === operation && one.field === field)) return [];
      const source = sourceText(src_fields.flatMap((path) => lookup(fields, path).values));
      const before = need.kind === "text" ? need.text : "";
      if ("texts" in source && textKey(source.texts.join("\n")) === textKey(before)) return [];
      const reason = `the ingest pipeline of the index changed ${src_fields.join(" or ")} after it was embedded: send what the pipeline makes of it`;
      return [{ operation, field, reason, ...(need.kind === "text" && { isEarlier: true as const }) }];
    });
  });
}
