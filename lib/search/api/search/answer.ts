import { ApiError } from "../../../core/http/error.ts";
import { elementSlices, memberSlices, withMembers } from "../../../core/json/slices.ts";

export interface Hit {
  _id: string;
  _score: number | null;
  _source?: Record<string, unknown>;
}

interface NativeBody {
  hits?: { total?: { value: number; relation: "eq" | "gte" } | number; hits?: Hit[] };
}

/**
 * The cluster's search answer: its text, which is handed on as it is so that no number changes, and what the gateway
 * reads of it.
 */
export interface SearchAnswer {
  text: string;
  hits: readonly Hit[];
  /** Null when totals are not tracked. */
  total: { value: number; relation: "eq" | "gte" } | null;
}

/** Reads an answer. Throws `upstream_failed` when the text is not JSON. */
export function readAnswer(text: string): SearchAnswer {
  const { hits } = parse(text);
  const total = hits?.total;
  return {
    text,
    hits: hits?.hits ?? [],
    total: typeof total === "number" ? { value: total, relation: "eq" } : (total ?? null),
  };
}

function parse(text: string): NativeBody {
  try {
    return JSON.parse(text) as NativeBody;
  } catch (cause) {
    throw new ApiError("upstream_failed", "The search cluster answered with something that is not JSON.", { cause });
  }
}

/** The texts of the hits, byte for byte. */
export function hitTexts({ text }: SearchAnswer): string[] {
  const inner = memberSlices(text).get("hits");
  const list = inner && memberSlices(text, inner.start).get("hits");
  return list ? elementSlices(text, list.start).map(({ start, end }) => text.slice(start, end)) : [];
}

/** The hit with another score. */
export const withScore = (hit: string, score: number): string => withMembers(hit, { _score: JSON.stringify(score) });

/** The answer with other hits; everything else stays the cluster's. `maxScore` undefined keeps it. */
export function withHits(answer: SearchAnswer, hits: readonly string[], maxScore?: number | null): string {
  const inner = memberSlices(answer.text).get("hits");
  if (!inner) return answer.text;
  const changed = withMembers(answer.text.slice(inner.start, inner.end), {
    hits: `[${hits.join(",")}]`,
    ...(maxScore !== undefined && { max_score: JSON.stringify(maxScore) }),
  });
  return withMembers(answer.text, { hits: changed });
}
