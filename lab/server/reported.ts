import * as v from "valibot";
import type { RecommendationReport } from "../recommendations/places.ts";
import { output } from "./command.ts";
import type { RunsOptions } from "./runs.ts";

/** Which answers of the recommendation service the page asks for. */
export const AskedReport = v.strictObject({
  days: v.pipe(v.string(), v.regex(/^[1-9]\d{0,3}$/, "must be a number of days from 1 to 9999")),
});
export type AskedReport = v.InferOutput<typeof AskedReport>;

/** Reads what users did with recommendations. */
export type ReportReader = (asked: AskedReport) => Promise<RecommendationReport>;

type Options = Pick<RunsOptions, "command" | "conf" | "env"> & { local: boolean };

/** Returns the function that reads what `relevance report recommendations` measures. */
export function reportReader({ command, conf, env, local }: Options): ReportReader {
  return async ({ days }) => {
    const args = ["report", "recommendations", "--json", "--conf", conf, "--days", days, ...(local ? ["--local"] : [])];
    return JSON.parse(await output([...command, ...args], { env }));
  };
}
