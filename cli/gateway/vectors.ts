import type { EmbeddingMapping } from "../../lib/config/hybrid-search.ts";
import { lacking } from "../../lib/config/vectors.ts";
import { deadlineIn } from "../../lib/core/resilience/deadline.ts";
import type { RunCalls } from "../../lib/search/index/rebuild/run-calls.ts";
import { createCapabilities } from "../../lib/search/opensearch/capabilities.ts";
import { Failure } from "../errors.ts";
import { patientCluster } from "./entry.ts";
import { reported } from "./index-runs.ts";

const PATIENCE_MS = 60_000;

/** Throws Failure for `vectors` of mappings that the cluster's version does not have, and says which version does. */
export async function requireVectors(
  calls: RunCalls,
  mappings: readonly Pick<EmbeddingMapping, "embedding_field" | "vectors">[],
): Promise<void> {
  if (mappings.every(({ vectors }) => vectors === undefined)) return;
  const { version } = await reported(() => createCapabilities(patientCluster(calls))(deadlineIn(PATIENCE_MS)));
  const problems = mappings.flatMap(({ embedding_field, vectors }) => {
    const problem = vectors && lacking(vectors, version);
    return problem === undefined ? [] : [`vectors: ${vectors} of ${embedding_field} ${problem}`];
  });
  if (problems.length > 0) throw new Failure(`The cluster has OpenSearch ${version}, and ${problems.join("; ")}`);
}
