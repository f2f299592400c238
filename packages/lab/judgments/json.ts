import { isObject, parseJson } from "@relevance/lib/platform/json/values.ts";
import * as v from "valibot";
import {
  columnsOf,
  gradeOf,
  indexOf,
  type Judgment,
  missingColumn,
  type Origin,
  originOf,
  raterIn,
} from "./judgments.ts";
import { JudgmentsError } from "./text.ts";

const Grade = v.nullish(v.union([v.number(), v.string()]));
const Ratings = v.array(v.looseObject({ docId: v.string(), rating: Grade, score: Grade }));
const QueryRatings = v.looseObject({ query: v.string(), ratings: Ratings });

/**
 * A judgment list of OpenSearch's Search Relevance Workbench. Early versions have an object by query in place of the
 * list, and `score` in place of `rating`. Source: `Judgment.java` and the examples of opensearch-project/search-relevance.
 */
const JudgmentList = v.looseObject({
  type: v.optional(v.string()),
  judgmentRatings: v.union([v.array(QueryRatings), v.record(v.string(), Ratings)]),
});

/** Response of `GET _plugins/_search_relevance/judgments/<id>`: that of a search for the list. */
const SearchAnswer = v.looseObject({
  hits: v.looseObject({ hits: v.array(v.looseObject({ _source: JudgmentList })) }),
});

/** How the workbench made a list, by its `type`. */
const ORIGIN_OF_TYPE: Readonly<Record<string, Origin>> = { UBI_JUDGMENT: "clicks" };

/**
 * Reads judgments as JSON: a judgment list of the Search Relevance Workbench, as it is imported and as its API returns
 * it; an array of its queries with `ratings`; or an array, or lines, of objects that have a query, a document and a
 * grade by the names of CSV columns. Throws JudgmentsError.
 */
export function* readJson(text: string): Generator<Judgment> {
  const whole = parseJson(text);
  const answer = v.safeParse(SearchAnswer, whole);
  const lists = answer.success ? answer.output.hits.hits.map(({ _source }) => _source) : [whole];
  for (const one of lists) {
    const list = v.safeParse(JudgmentList, isObject(one) && "judgmentScores" in one ? renamed(one) : one);
    if (list.success) {
      yield* judgmentsInList(list.output);
    } else if (Array.isArray(one)) {
      for (const [index, item] of one.entries()) yield* judgmentsInItem(item, `item ${index + 1}`, index + 1);
    } else {
      yield* judgmentsInLines(text);
    }
  }
}

const renamed = ({ judgmentScores, ...list }: Record<string, unknown>) => ({
  ...list,
  judgmentRatings: judgmentScores,
});

function* judgmentsInList({ type = "", judgmentRatings }: v.InferOutput<typeof JudgmentList>): Generator<Judgment> {
  const queries = Array.isArray(judgmentRatings)
    ? judgmentRatings
    : Object.entries(judgmentRatings).map(([query, ratings]) => ({ query, ratings }));
  for (const { query, ratings } of queries) {
    for (const { docId, rating, score } of ratings) {
      const grade = rating ?? score;
      // The workbench keeps documents that could not be rated.
      if (grade == null || grade === "") continue;
      yield { query, document: docId, grade: gradeOf(grade, 1), origin: ORIGIN_OF_TYPE[type] ?? "import" };
    }
  }
}

function* judgmentsInLines(text: string): Generator<Judgment> {
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() !== "") yield* judgmentsInItem(parseJson(line), `line ${index + 1}`, index + 1);
  }
}

function* judgmentsInItem(item: unknown, where: string, line: number): Generator<Judgment> {
  const list = v.safeParse(QueryRatings, item);
  if (list.success) return yield* judgmentsInList({ judgmentRatings: [list.output] });
  const names = isObject(item) ? Object.keys(item) : [];
  const columns = columnsOf(names);
  const member = (kind: keyof typeof columns) => (item as Record<string, unknown>)[names[columns[kind]] ?? ""];
  const [query, document, grade] = missingColumn(columns) ? [] : [member("query"), member("document"), member("grade")];
  if (typeof query !== "string" || (typeof document !== "string" && typeof document !== "number")) {
    throw new JudgmentsError(
      `${where}: neither a document with judgmentRatings, nor an object with query, document and judgment`,
    );
  }
  if (grade == null || grade === "") return;
  // Lines with `judgment` are what OpenSearch's search quality evaluation framework computes from UBI events.
  const named = raterIn(member("rater"), member("adjudicated"));
  const origin = "judgment" in (item as object) ? "clicks" : Object.keys(named).length > 0 ? "people" : "import";
  yield {
    ...{ query, document: String(document), grade: gradeOf(grade, line) },
    ...{ index: indexOf(String(member("index") ?? "")), origin: originOf(String(member("origin") ?? ""), origin) },
    ...named,
  };
}
