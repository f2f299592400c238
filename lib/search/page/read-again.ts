import type { Deadline } from "../../platform/resilience/deadline.ts";
import type { Cluster } from "../opensearch/cluster.ts";
import { type Hit, nativeSearch, searchFailure } from "./answer.ts";
import { identityOf } from "./apply.ts";
import { StageError } from "./stage.ts";

interface Read {
  /** The index expression that is searched. */
  index: string;
  hits: readonly Hit[];
  /** The fields to read, named in reasons of failures. */
  fields: readonly string[];
  /** The members of a search body that return the fields. */
  read: Readonly<Record<string, unknown>>;
}

/**
 * Returns hits with other fields of their documents, in the same order; undefined for a deleted document. Uses a second
 * search by id, because the caller's own answer may not contain these fields and must not change. Skips the index's
 * search pipeline, which may change documents. Throws {@link StageError}.
 */
export async function readAgain(
  cluster: Cluster,
  { index, hits, fields, read }: Read,
  deadline: Deadline,
): Promise<Array<Hit | undefined>> {
  const ids = [...new Set(hits.map(({ _id }) => _id))];
  if (ids.includes(undefined as never)) throw new StageError("the request leaves out the ids of hits");
  const indexes = new Set(hits.map(({ _index }) => _index));
  const body = JSON.stringify({
    query: { ids: { values: ids } },
    // Each index may have a document with the same id.
    size: ids.length * indexes.size,
    track_total_hits: false,
    search_pipeline: "_none",
    ...read,
  });
  const values = `the values of ${fields.join(" and ")}`;
  const answer = await nativeSearch(cluster, deadline, index, body, { timeout: undefined }).catch((error: unknown) => {
    throw new StageError(`${values} could not be read: ${searchFailure(error)}`);
  });
  if (answer.partial.length > 0) throw new StageError(`${values} could not all be read`);
  const found = new Map(answer.hits.map((hit) => [identityOf(hit), hit]));
  return hits.map((hit) => found.get(identityOf(hit)));
}
