import * as v from "valibot";
import { parseJson } from "../../core/json/values.ts";
import { gradeOf, type Judgment, JudgmentsError } from "./judgments.ts";

const Grade = v.union([v.number(), v.string()]);

/** A judgment list of OpenSearch's Search Relevance Workbench, as it imports and exports it. */
const JudgmentList = v.object({
  judgmentRatings: v.array(
    v.object({ query: v.string(), ratings: v.array(v.object({ docId: v.string(), rating: Grade })) }),
  ),
});

/** One judgment of OpenSearch's search quality evaluation framework, which computes them from UBI events. */
const UbiJudgment = v.object({ query: v.string(), document: v.string(), judgment: Grade });

/**
 * Reads judgments that OpenSearch made from UBI events: one JSON document with `judgmentRatings`, or lines of JSON with
 * `query`, `document` and `judgment`. Throws JudgmentsError.
 */
export function* readUbi(text: string): Generator<Judgment> {
  const list = v.safeParse(JudgmentList, parseJson(text));
  if (list.success) {
    for (const { query, ratings } of list.output.judgmentRatings) {
      for (const { docId, rating } of ratings) yield { query, document: docId, grade: gradeOf(rating, 1) };
    }
    return;
  }
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const row = v.safeParse(UbiJudgment, parseJson(line));
    if (!row.success) {
      throw new JudgmentsError(
        `line ${index + 1}: neither a document with judgmentRatings, nor a line with query, document and judgment`,
      );
    }
    const { query, document, judgment } = row.output;
    yield { query, document, grade: gradeOf(judgment, index + 1) };
  }
}
