import { Failure } from "../../lib/platform/failure.ts";
import { isObject } from "../../lib/platform/json/values.ts";
import { deadlineIn } from "../../lib/platform/resilience/deadline.ts";
import type { RunCalls } from "../../lib/search/index/rebuild/run-calls.ts";
import { createCapabilities } from "../../lib/search/opensearch/capabilities.ts";
import type { EmbeddingMapping } from "../../lib/settings/hybrid-search.ts";
import { lacking } from "../../lib/settings/vectors.ts";
import { patientCluster, reported } from "./index-runs.ts";

const PATIENCE_MS = 60_000;

/** The first version of OpenSearch with fields whose embeddings the cluster makes itself. */
const SEMANTIC_SINCE = "3.1";

/**
 * Throws Failure for `vectors` of mappings, and for `semantic` fields of a schema, that the cluster's version does not
 * have, and says which version does.
 */
export async function requireVectors(
  calls: RunCalls,
  mappings: readonly Pick<EmbeddingMapping, "embedding_field" | "vectors">[],
  schema: unknown = {},
): Promise<void> {
  const semantic = semanticFields(schema);
  if (mappings.every(({ vectors }) => vectors === undefined) && semantic.length === 0) return;
  const { version } = await reported(() => createCapabilities(patientCluster(calls))(deadlineIn(PATIENCE_MS)));
  const problems = mappings.flatMap(({ embedding_field, vectors }) => {
    const problem = vectors && lacking(vectors, version);
    return problem === undefined ? [] : [`vectors: ${vectors} of ${embedding_field} ${problem}`];
  });
  if (version.localeCompare(SEMANTIC_SINCE, "en", { numeric: true }) < 0) {
    for (const field of semantic)
      problems.push(`the semantic field ${field} needs OpenSearch ${SEMANTIC_SINCE} or later`);
  }
  if (problems.length > 0) throw new Failure(`The cluster has OpenSearch ${version}, and ${problems.join("; ")}`);
}

/** Returns the paths of the `semantic` fields of a mapping, whatever else it holds. */
function semanticFields(mapping: unknown, prefix = ""): string[] {
  if (!isObject(mapping) || !isObject(mapping.properties)) return [];
  return Object.entries(mapping.properties).flatMap(([name, field]) => [
    ...(isObject(field) && field.type === "semantic" ? [prefix + name] : []),
    ...semanticFields(field, `${prefix}${name}.`),
  ]);
}
