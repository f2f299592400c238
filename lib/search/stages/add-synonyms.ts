import { reasonOf } from "../../platform/aws/errors.ts";
import { ApiError } from "../../platform/http/error.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import type { IndexSettings } from "../gateway/settings.ts";
import type { SearchAnswer } from "../page/answer.ts";
import type { Rewritten } from "../page/stage.ts";
import type { SynonymReader } from "../synonyms/document.ts";
import type { Rewriting } from "../synonyms/rewrite.ts";

/** The synonyms of an index, and the request's members about them. */
export interface SynonymSearch {
  entry: Pick<IndexSettings, "synonyms">;
  /** False turns synonyms off. */
  synonyms: boolean | null | undefined;
  /** Overrides the index's default locale. */
  locale: string | null | undefined;
  deadline: Deadline;
}

/** Rewrites a query, or a list of them, with the synonyms of its index. Never rejects. */
export async function addSynonyms<Query>(
  read: SynonymReader,
  { entry, locale, deadline }: SynonymSearch,
  query: Query,
): Promise<Rewritten<Query>> {
  const { files, default_locale } = entry.synonyms ?? {};
  const started = performance.now();
  const reasons: string[] = [];
  const found = await rewritingOf(query).catch((error: unknown) => {
    reasons.push(reasonOf("the document of synonyms", error));
    return undefined;
  });
  if (found?.left) reasons.push(`${found.left} clauses have more synonyms than the query has room for`);
  let refusal: string | undefined;
  const milliseconds = Math.round(performance.now() - started);
  const isChanged = found !== undefined && found.alternatives > 0;
  return {
    query: isChanged ? (found.query as Query) : query,
    async attempt({ rewritten, original }, send) {
      if (!isChanged || refusal !== undefined) return send(original);
      let reason: string | undefined;
      let partial: Awaited<ReturnType<typeof send>> | undefined;
      try {
        partial = await send(rewritten);
        reason = shardsRefusal(partial);
        if (reason === undefined) return partial;
      } catch (error) {
        if (!(error instanceof ApiError) || !REFUSALS.includes(error.code)) throw error;
        reason = error.message;
      }
      // If the request itself or a rule is at fault, this throws the same error as without synonyms.
      const answer = await send(original);
      if (partial && shardsRefusal(answer) === reason) return partial;
      refusal = reason;
      return answer;
    },
    reports: () => {
      const failed = refusal !== undefined || (found === undefined && reasons.length > 0);
      const searched = failed || !found ? [] : [...found.words].map(([from, to]) => ({ from, to: [...to] }));
      const counts = { moved: 0, added: 0, hidden: 0, alternatives: failed ? 0 : (found?.alternatives ?? 0) };
      return [{ name: "synonyms", milliseconds, ...counts, failed, moves: [], synonyms: searched }];
    },
    degraded: () =>
      [...reasons, ...(refusal === undefined ? [] : [`the cluster refused the query with synonyms: ${refusal}`])].map(
        (reason) => ({ stage: "synonyms", target: "search_response", reason, effect: LOST }),
      ),
  };

  async function rewritingOf(query: Query): Promise<Rewriting | undefined> {
    const { content, failure } = await read(Math.min(WAIT_MS, deadline.remaining() / 2));
    if (failure) reasons.push(failure.reason);
    const [{ isLocaleOf }, { rewriting }] = await Promise.all([
      import("../../settings/synonyms.ts"),
      import("../synonyms/rewrite.ts"),
    ]);
    const wanted = locale ?? default_locale;
    const named = (files ?? []).filter((one) => one.locale === undefined || isLocaleOf(wanted, one.locale));
    const lists = named.map(({ file }) => ({ file, lexicon: content(file) }));
    const absent = lists.filter(({ lexicon }) => !lexicon).map(({ file }) => file);
    if (absent.length > 0) reasons.push(`the synonyms in use have no ${absent.join(", ")}`);
    return rewriting(
      query,
      lists.flatMap(({ lexicon }) => lexicon ?? []),
    );
  }
}

/** The longest wait (ms) of a search for the lists: the first search of an instance, and one every half minute. */
const WAIT_MS = 1_000;

const LOST = "documents with synonyms of the query may be missing";

/**
 * Error codes for a query that the cluster cannot run. Other errors, such as when it is busy, say nothing about the
 * query.
 */
const REFUSALS: readonly string[] = ["rejected_by_cluster", "upstream_failed"];

/** Reasons for which shards would fail with the original query, too. */
const OVERLOAD = /rejected_execution|circuit_breaking|task_cancelled|node_|no_shard_available|timeout/;

/** Returns why shards failed on the rewritten query; undefined if the rewriting is not the cause. */
function shardsRefusal(answer: Partial<SearchAnswer>): string | undefined {
  return answer.partial?.find(({ stage, reason }) => stage === "shards" && !OVERLOAD.test(reason))?.reason;
}
