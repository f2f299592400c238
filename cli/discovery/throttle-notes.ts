import { loggedSearchesPerSecond } from "../../lib/infrastructure/delivery-streams.ts";
import { USUAL_RATE } from "../../lib/settings/access.ts";
import type { Configuration } from "../../lib/settings/configuration.ts";

/** Timeouts of the functions behind the APIs, in seconds. */
const ROUTER_SECONDS = 28;
const RECOMMENDATION_SECONDS = 28;

/**
 * Returns a note if more searches come through than the request log takes, and one for each API that lets more requests
 * through than its function can answer. Lambda throttles the rest, and API Gateway answers 500 for that: a gateway response
 * cannot tell it from other failures of the integration. Instances that are busy are the rate times the seconds of a call
 * (Lambda Developer Guide, "Understanding Lambda function scaling"). `most` is API Gateway's own limit, 2,500 requests a second
 * in newer regions ("Amazon API Gateway quotas").
 */
export function throttleNotes(
  { api, project, searchGateway, recommendation }: Configuration,
  quota: number,
  most = USUAL_RATE,
): string[] {
  const { default_throttle: limits, reserved_concurrency: reserved } = api;
  const rate = Math.min(limits?.rate_limit ?? most, most);
  const set =
    limits && limits.rate_limit <= most
      ? `default_throttle lets ${rate}`
      : `${limits ? "whatever default_throttle says," : "without default_throttle"} API Gateway lets ${rate}`;
  const functions = [
    ...(searchGateway ? ([["api_router", ROUTER_SECONDS]] as const) : []),
    ...(recommendation ? ([["recommendation_api", RECOMMENDATION_SECONDS]] as const) : []),
  ];
  const logged = loggedSearchesPerSecond(project.aws.region_name);
  const log =
    searchGateway && rate > logged
      ? [
          `request log: ${set} requests a second through, but Firehose takes the log of about ${logged} searches a second here ` +
            "by default. Lines beyond that are late, not lost: request more of the quota of Direct PUT of Firehose in " +
            "Service Quotas if searches stay above it",
        ]
      : [];
  const late = functions.flatMap(([fn, longest]) => {
    const instances = reserved[fn] ?? quota;
    if (rate * longest <= instances && (limits?.burst_limit ?? 0) <= instances) return [];
    const whose = reserved[fn] === undefined ? "the account's concurrency" : `reserved_concurrency.${fn}`;
    const average = Number((instances / rate).toPrecision(2));
    const always = Number((instances / longest).toPrecision(2));
    return [
      `${fn}: ${set} requests a second through, but ${instances} at the same time are answered (${whose}), which suffices while a ` +
        `call takes less than ${average} s on average. Beyond that callers get 500 outcome_unknown. A rate_limit of ` +
        `${always} holds even if each call takes ${longest} s, the longest; choose one for your usual call, and a ` +
        `burst_limit of at most ${instances}`,
    ];
  });
  // In the order in which the limits come.
  return [...log, ...late];
}

/** Advice for too little function concurrency. */
export const RAISE = 'request more of the quota "Concurrent executions" of Lambda in Service Quotas';
