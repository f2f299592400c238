import type { AnySearchAnswer } from "../../evaluation/searches.ts";
import { callService } from "../api.ts";
import { entryFor, readMapping } from "./mapping.ts";
import { keep, subqueries } from "./results.ts";
import { callOf } from "./variants.ts";

/** Fetches some documents of an index, in no particular order. Returns their ids. */
export async function someDocuments(index: string, size: number): Promise<string[]> {
  const hidden = (entryFor(index)?.embeddings ?? []).map(({ field }) => field);
  const body = { size, _source: { excludes: hidden }, query: { match_all: {} } };
  const call = { index, is_logging_enable: false, search_request: body };
  const path = "/application/search";
  const answer = await callService<AnySearchAnswer>({ service: "gateway", method: "POST", path, body: call });
  keep(answer);
  return answer.body.search_response.hits.hits.map(({ _id = "" }) => _id);
}

/** Finds documents by keywords, without rules. Returns their ids. */
export async function findDocuments(index: string, query: string): Promise<string[]> {
  await readMapping(index);
  const { method, path, service, body } = callOf(
    { kind: "subquery", subquery: "keyword" },
    { index, query, user: "", subqueries: subqueries.value },
  );
  const answer = await callService<AnySearchAnswer>({
    service,
    method,
    path,
    body: { ...(body as object), rule_set: "none" },
  });
  keep(answer);
  return answer.body.search_response.hits.hits.map(({ _id = "" }) => _id);
}
