import type { Degradation } from "../../platform/http/degradation.ts";
import type { Call, Reply } from "../../platform/http/event.ts";
import { degradedMetric } from "../../platform/telemetry/emf.ts";
import type { RecommendationServices } from "./services.ts";

/** An answer of the service: the request, the result, and what was degraded. */
export interface Answered {
  status?: number;
  request: object;
  response: object;
  degraded: readonly Degradation[];
  /** Comes before `request` in the body of an error. */
  error?: object;
}

/** Returns the HTTP answer. For a degraded answer, sets the header and logs the metrics. */
export function answer(
  { settings, api }: Pick<RecommendationServices, "settings" | "api">,
  { status = 200, request, response, degraded, error }: Answered,
): Reply {
  for (const line of degradedMetric(settings.project, degraded)) api.log(line);
  const stages = [...new Set(degraded.map(({ stage }) => stage))];
  return {
    status,
    ...(stages.length > 0 && { headers: { "x-degraded": stages.join(", ") } }),
    body: JSON.stringify({
      ...(error && { error }),
      request,
      response,
      ...(degraded.length > 0 && { degraded }),
    }),
  };
}

/** Logs the cause of a degradation. The client sees only a summary. */
export function logFailure(
  { api }: Pick<RecommendationServices, "api">,
  { requestId }: Pick<Call, "requestId">,
  message: string,
  error: unknown,
): void {
  const cause = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  api.log(JSON.stringify({ level: "warn", request_id: requestId, message, cause }));
}
