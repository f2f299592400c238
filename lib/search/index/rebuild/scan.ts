import { pathOf, type RunCalls } from "./run-calls.ts";

const PAGE = 1_000;

interface Hit {
  _id: string;
  _seq_no: number;
  _source?: Record<string, unknown>;
}

/** Yields the documents of the index of a run, with the given fields only. */
export async function* scanRun(calls: RunCalls, index: string, fields: readonly string[]): AsyncGenerator<Hit> {
  await calls.json("POST", pathOf(index, "_refresh"));
  for (let from = 0; ; ) {
    const answer = (await calls.json("POST", pathOf(index, "_search"), {
      size: PAGE,
      _source: fields,
      seq_no_primary_term: true,
      query: { range: { _seq_no: { gte: from } } },
      sort: [{ _seq_no: { order: "asc", unmapped_type: "long" } }],
    })) as { hits?: { hits: Hit[] } };
    const hits = answer.hits?.hits ?? [];
    yield* hits;
    const last = hits.at(-1);
    if (!last || hits.length < PAGE) return;
    from = last._seq_no + 1;
  }
}
