import { Failure } from "@relevance/lib/platform/failure.ts";
import type { Recommendation } from "@relevance/lib/settings/configuration.ts";
import { type LogSource, withRecommendationLog } from "../stored-log/stored-log.ts";
import type { RecommendationReport } from "./places.ts";
import { recommendationReport } from "./report.ts";

/** Measures the lists of a recommendation service by its stored log and events. Throws Failure if there are none. */
export async function reportRecommendations(
  source: LogSource,
  recommendation: Recommendation | undefined,
  conversions: readonly string[],
): Promise<RecommendationReport> {
  const experiments = (recommendation?.placements ?? []).flatMap(({ experiment }) => experiment ?? []);
  const report = await withRecommendationLog(source, ({ log, ...period }) =>
    recommendationReport(log, period, { conversions, experiments }),
  );
  if (report.places.length > 0) return report;
  throw new Failure(`The request log has no answer of the recommendation service in the last ${source.days} days`);
}
