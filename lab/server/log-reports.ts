import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import * as v from "valibot";
import { output } from "./command.ts";
import { ConsoleError } from "./problem.ts";
import type { RunsOptions } from "./runs.ts";
import { AskedSearches } from "./searched.ts";

const days = AskedSearches.entries.days;

/** An experiment whose report the page asks for. */
export const AskedExperiment = v.strictObject({
  name: v.pipe(v.string(), v.regex(/^[^-\s]\S{0,99}$/, "must be the name of an experiment")),
  days,
});

/** Which judgments from clicks the page asks for. */
export const AskedClicks = v.strictObject({
  ...AskedSearches.entries,
  least: v.pipe(v.string(), v.regex(/^[1-9]\d{0,6}$/, "must be a whole number from 1")),
});

/** A judgments file to make of them. */
export const TakenClicks = v.strictObject({ ...AskedClicks.entries, name: v.string() });

/** Judgments from clicks, and what the command says about where they come from. */
export interface ClickJudgments {
  rows: readonly { query: string; document: string; grade: number; impressions: number; clicks: number }[];
  /** How many there are; the page gets the first ones. */
  of: number;
  notes: string[];
}

export interface LogReports {
  /** Returns what `relevance experiment report` prints. */
  experiment(asked: v.InferOutput<typeof AskedExperiment>): Promise<{ text: string }>;
  clicks(asked: v.InferOutput<typeof AskedClicks>): Promise<ClickJudgments>;
  /** Writes them into a new judgments file. Throws ConsoleError if there is one of its name. */
  take(taken: v.InferOutput<typeof TakenClicks>): Promise<{ name: string }>;
}

/** Judgments that the page gets. */
const LISTED = 200;

type Options = Pick<RunsOptions, "command" | "conf" | "env" | "judgments"> & { local: boolean };

/** Returns the reports on the stored request log. The commands run with the AWS credentials of the console. */
export function logReports({ command, conf, env, local, judgments }: Options): LogReports {
  const run = (args: readonly string[], onNote?: (line: string) => void) =>
    output([...command, ...args, "--conf", conf, ...(local ? ["--local"] : [])], { env, ...(onNote && { onNote }) });
  const clickArgs = ({ days: period, index, least }: v.InferOutput<typeof AskedClicks>) => [
    ...["judgments", "from-clicks", "--days", period, "--min-impressions", least],
    ...(index === undefined ? [] : ["--index", index]),
  ];
  return {
    experiment: async ({ name, days: period }) => ({
      text: await run(["experiment", "report", name, "--days", period]),
    }),
    async clicks(asked) {
      const notes: string[] = [];
      const rows: ClickJudgments["rows"] = JSON.parse(
        await run([...clickArgs(asked), "--json"], (note) => notes.push(note)),
      );
      return { rows: rows.slice(0, LISTED), of: rows.length, notes };
    },
    async take({ name, ...asked }) {
      const file = judgments.path(name);
      if (existsSync(file)) {
        throw new ConsoleError(409, "exists", `There is a judgments file ${name} already: choose another name`);
      }
      mkdirSync(dirname(file), { recursive: true });
      await run([...clickArgs(asked), "--output", file, "--json"]);
      return { name };
    },
  };
}
