import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { CONVERSIONS } from "@relevance/lib/platform/contract/measuring.ts";
import { MEASURE_NAMES } from "@relevance/lib/platform/experiments/measures.ts";
import { loadConfiguration, loadHybridSearch } from "@relevance/lib/settings/load.ts";
import * as v from "valibot";
import type { ClickJudgment } from "../clicks/coec.ts";
import { firstOfEach, type SearchedQuery } from "../clicks/failures.ts";
import type { CustomerSearch } from "../clicks/queries.ts";
import { writeClicks } from "../judgments/judgments.ts";
import type { RecommendationReport } from "../recommendations/places.ts";
import type { LogSource } from "../stored-log/stored-log.ts";
import type { JudgmentFiles } from "./judgment-files.ts";
import { ConsoleError } from "./problem.ts";

const days = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{0,3}$/, "must be a number of days from 1 to 9999"),
  v.transform(Number),
);

/** A number of days of the log. */
export const AskedDays = v.strictObject({ days });

/** Which searches of the request log the page asks for. */
export const AskedSearches = v.strictObject({
  days,
  /** The index that they named; absent for every index. */
  index: v.optional(v.string()),
});

/** An experiment whose report the page asks for. */
export const AskedExperiment = v.strictObject({
  name: v.pipe(v.string(), v.regex(/^\S{1,100}$/, "must be the name of an experiment")),
  days,
});

/** Which judgments from clicks the page asks for. */
export const AskedClicks = v.strictObject({
  ...AskedSearches.entries,
  least: v.pipe(v.string(), v.regex(/^[1-9]\d{0,6}$/, "must be a whole number from 1"), v.transform(Number)),
});

/** A judgments file to make of them. */
export const TakenClicks = v.strictObject({ ...AskedClicks.entries, name: v.string() });

/** The first queries of each list on the page, most frequent first. */
export interface Searches {
  queries: SearchedQuery[];
  /** How many different queries there were. */
  of: number;
}

/** Judgments from clicks, and where they come from. */
export interface ClickJudgments {
  rows: readonly ClickJudgment[];
  /** How many there are; the page gets the first ones. */
  of: number;
  notes: string[];
}

/** The reports on the stored request log. Their errors are those of the commands that print them. */
export interface LogReports {
  searches(asked: v.InferOutput<typeof AskedSearches>): Promise<Searches>;
  customers(asked: v.InferOutput<typeof AskedSearches>): Promise<CustomerSearch>;
  experiment(asked: v.InferOutput<typeof AskedExperiment>): Promise<{ text: string }>;
  clicks(asked: v.InferOutput<typeof AskedClicks>): Promise<ClickJudgments>;
  /** Writes them into a new judgments file. Throws ConsoleError if there is one of its name. */
  take(taken: v.InferOutput<typeof TakenClicks>): Promise<{ name: string }>;
  recommendations(asked: v.InferOutput<typeof AskedDays>): Promise<RecommendationReport>;
}

/** Rows of each list that the page gets. */
const LISTED = 200;

interface Options {
  /** Where the stored lines are. */
  log: LogSource["from"];
  /** Folder of the configuration. */
  conf: string;
  judgments: JudgmentFiles;
}

/** Returns the reports on a stored log, each of whose modules is loaded on first use. */
export function logReports({ log: from, conf, judgments }: Options): LogReports {
  const source = (period: number, note: LogSource["note"] = () => undefined) => ({ days: period, from, note });
  const judged = async (
    { days: period, index, least: minImpressions }: v.InferOutput<typeof AskedClicks>,
    note?: LogSource["note"],
  ) => {
    const { judgeByClicks } = await import("../clicks/reports.ts");
    return judgeByClicks(source(period, note), { index, minImpressions });
  };
  return {
    async searches({ days: period, index }) {
      const { reportQueries } = await import("../clicks/reports.ts");
      const queries = await reportQueries(source(period), index);
      return { queries: firstOfEach(queries, LISTED), of: queries.length };
    },
    async customers({ days: period, index = "" }) {
      const { customerSearch } = await import("../clicks/queries.ts");
      return customerSearch(source(period), index);
    },
    async experiment({ name, days: period }) {
      const { reportExperiment } = await import("../experiments/report-experiment.ts");
      const [metric] = MEASURE_NAMES;
      const { text } = await reportExperiment(source(period), loadHybridSearch(conf).experiments, { name, metric });
      return { text };
    },
    async clicks(asked) {
      const notes: string[] = [];
      const rows = await judged(asked, (note) => notes.push(note));
      return { rows: rows.slice(0, LISTED), of: rows.length, notes };
    },
    async take({ name, ...asked }) {
      const file = judgments.path(name);
      if (existsSync(file)) {
        throw new ConsoleError(409, "exists", `There is a judgments file ${name} already: choose another name`);
      }
      const rows = await judged(asked);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, writeClicks(rows, asked.index));
      return { name };
    },
    async recommendations({ days: period }) {
      const { reportRecommendations } = await import("../recommendations/report-recommendations.ts");
      return reportRecommendations(source(period), loadConfiguration(conf).recommendation, CONVERSIONS);
    },
  };
}
