import { ApiError } from "../../../platform/http/error.ts";
import { invalidRequest } from "../../../platform/http/validate.ts";
import type { Deadline } from "../../../platform/resilience/deadline.ts";
import { type IndexCatalog, NO_PIPELINE, type SearchPipeline } from "../../opensearch/index-catalog.ts";
import type { TargetIndex } from "../../resolve/target.ts";

const refused = (message: string) => invalidRequest([{ path: "index", message }]);

/**
 * Returns the default search pipeline of indexes, which a hybrid search's pipeline would replace. As in the cluster,
 * one index's pipeline also applies to indexes without any. Throws `invalid_request` for several, because the cluster
 * would run none of them.
 */
export async function defaultPipeline(
  catalog: IndexCatalog,
  name: string,
  indexes: readonly TargetIndex[],
  deadline: Deadline,
): Promise<SearchPipeline> {
  const [id = "_none", ...others] = new Set(indexes.flatMap(({ searchPipeline }) => searchPipeline ?? []));
  if (others.length > 0) {
    const all = [id, ...others].join(", ");
    throw refused(
      `${name} stands for indexes with different values of index.search.default_pipeline (${all}), and a search runs one pipeline: search them one by one`,
    );
  }
  if (id === "_none") return NO_PIPELINE;
  const found = await catalog.pipeline(id, deadline);
  if (!found) throw refused(`has the index.search.default_pipeline ${id}, which the cluster does not have`);
  return found;
}

/**
 * Returns the error of a search whose query the index's pipeline has changed into one that the cluster's version does
 * not support.
 */
export function pipelineRefusal(error: unknown, { request_processors }: SearchPipeline, version: string): unknown {
  const isWrapped = error instanceof ApiError && error.message.includes("hybrid query must be a top level query");
  if (!isWrapped || !request_processors.some((one) => Object.hasOwn(one, "filter_query"))) return error;
  return refused(
    `has an index.search.default_pipeline with filter_query, which OpenSearch ${version} refuses beside a hybrid query; 3.6 takes it`,
  );
}
