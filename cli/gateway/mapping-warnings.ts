import { deadlineIn } from "../../lib/platform/resilience/deadline.ts";
import type { Cluster } from "../../lib/search/opensearch/cluster.ts";
import { createIndexCatalog } from "../../lib/search/opensearch/index-catalog.ts";
import { entryOf } from "../../lib/search/resolve/entry.ts";
import type { HybridQuery } from "../../lib/settings/hybrid-search.ts";

/** The longest that the cluster may take to describe the indexes of an entry, in milliseconds. */
const DESCRIBE_MS = 30_000;

/** Returns a warning for each field of an entry from which texts are read although no document of its indexes holds it. */
export async function mappingWarnings(cluster: Cluster, entries: readonly HybridQuery[]): Promise<string[]> {
  const catalog = createIndexCatalog(cluster);
  const warnings = new Set<string>();
  for (const entry of entries) {
    for (const { name, aliases, meta, unheld } of await catalog.resolve(entry.index, deadlineIn(DESCRIBE_MS))) {
      const named = { name, aliases: [...aliases.keys()], describedEntry: meta?.entry };
      if (entryOf(entries, named, [entry.index]) !== entry) continue;
      const mappings = entry.embedding_mappings.map((one) => ["src_fields", one.src_fields] as const);
      const titles = entry.suggest?.titles ? [["titles.field", [entry.suggest.titles.field]] as const] : [];
      for (const [key, fields] of [...mappings, ...titles]) {
        for (const field of fields) {
          const reason = unheld.get(field);
          if (reason) warnings.add(`hybrid_search.yaml: ${key} of ${entry.index}: ${reason} (index ${name})`);
        }
      }
    }
  }
  return [...warnings];
}
