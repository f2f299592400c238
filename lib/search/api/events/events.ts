import * as v from "valibot";
import type { RecordStream } from "../../../aws/record-stream.ts";
import type { StoreFailure } from "../../../aws/store-failure.ts";
import { ApiError, type Issue } from "../../../core/http/error.ts";
import type { JsonCall, Reply } from "../../../core/http/event.ts";
import { type ApiOptions, countFault } from "../../../core/http/middleware.ts";
import { issueOf } from "../../../core/http/validate.ts";
import { metricLine } from "../../../core/telemetry/emf.ts";
import type { EventsSettings } from "../../gateway/settings.ts";
import { eventLine } from "../../request-log/event-line.ts";
import { UbiEvent } from "../../request-log/ubi-event.ts";
import { keyInTime } from "../../request-log/user-id-key.ts";
import type { EventsRequest } from "./request.ts";

/** Name of the metric that counts valid events that were not stored, by `Project`. An alarm watches it. */
export const UNSTORED_EVENTS = "UnstoredEvents";

/** What the endpoint uses. */
export interface EventsServices {
  settings: EventsSettings;
  api: ApiOptions;
  /** Stores lines in the bucket. */
  stream: RecordStream;
  /** Returns the key for hashing user ids; undefined if they are not hashed or the key cannot be read. */
  userIdKey: () => Promise<string | undefined>;
  now: () => Date;
}

/** An event that was not accepted. */
interface Rejected {
  /** Position in the request. */
  index: number;
  /** Whether the same event may be accepted later. */
  retryable: boolean;
  issues: readonly Issue[];
}

/**
 * Answers `POST /application/events`: stores events beside the request log. An event counts as accepted once the
 * delivery stream has it, and an event that is not accepted does not affect the others.
 */
export async function storeEvents(services: EventsServices, call: JsonCall<EventsRequest>): Promise<Reply> {
  const { settings } = services;
  const { user_id, query_text } = settings.logging;
  const hmacKey = await keyInTime(services, call);
  const logSettings = { application: settings.project, userId: user_id, queryText: query_text, hmacKey };
  const source = {
    key: call.caller.name,
    clientId: call.headers["x-client-id"]?.slice(0, 256) ?? null,
    receivedAt: services.now(),
  };
  const valid: { index: number; line: string }[] = [];
  const invalid: Rejected[] = [];
  for (const [index, value] of call.body.events.entries()) {
    const parsed = Array.isArray(value) ? NOT_AN_OBJECT : v.safeParse(UbiEvent, value);
    if (parsed.success) valid.push({ index, line: eventLine(parsed.output, source, logSettings) });
    else invalid.push({ index, retryable: false, issues: parsed.issues.map(issueOf) });
  }
  const failures = await services.stream(
    valid.map(({ line }) => line),
    call.deadline,
  );
  const unstored = valid.flatMap(({ index }, line) => {
    const failure = failures.get(line);
    return failure ? [{ index, failure }] : [];
  });
  return reply(services, call, { count: call.body.events.length, invalid, unstored });
}

const NOT_AN_OBJECT = v.safeParse(v.never("must be an object"), []);

interface Outcome {
  count: number;
  invalid: readonly Rejected[];
  unstored: readonly { index: number; failure: StoreFailure }[];
}

/** Returns 200 if at least one event was accepted; otherwise an error beside the usual fields. */
function reply(
  { api, settings: { project } }: EventsServices,
  { requestId }: JsonCall<EventsRequest>,
  { count, invalid, unstored }: Outcome,
): Reply {
  const accepted = count - invalid.length - unstored.length;
  const metrics = [
    { name: "AcceptedEvents", unit: "Count", value: accepted },
    { name: "RejectedEvents", unit: "Count", value: invalid.length },
    { name: UNSTORED_EVENTS, unit: "Count", value: unstored.length },
  ] as const;
  api.log(metricLine({ Project: project }, metrics));
  for (const [{ reason, cause }, { length }] of Map.groupBy(unstored, ({ failure }) => failure)) {
    const message = `${length} of ${count} events were not stored: ${reason}`;
    api.log(JSON.stringify({ level: "warn", request_id: requestId, message, cause: String(cause) }));
  }
  const rejected = [...invalid, ...unstored.map(rejectedOf)].toSorted((a, b) => a.index - b.index);
  if (accepted > 0) return { status: 200, body: JSON.stringify({ accepted, rejected }) };
  const { code, message, statusCode } = noneAccepted(count, unstored);
  if (statusCode >= 500) countFault(api, code);
  const error = { code, message, request_id: requestId };
  return { status: statusCode, body: JSON.stringify({ error, accepted, rejected }) };
}

function rejectedOf({ index, failure }: Outcome["unstored"][number]): Rejected {
  const outcome = failure.isUnknown ? "may not have been stored" : "was not stored";
  return {
    index,
    retryable: true,
    issues: [{ path: "", message: `${outcome}: ${failure.reason}; send it again` }],
  };
}

function noneAccepted(count: number, unstored: Outcome["unstored"]): ApiError {
  const none = `None of the ${count} events was accepted; rejected has the reasons`;
  if (unstored.length === 0) return new ApiError("invalid_request", `${none}.`);
  const unknown = unstored.find(({ failure }) => failure.isUnknown);
  return new ApiError(
    unknown ? "outcome_unknown" : "upstream_unavailable",
    `${none}. Send those that are retryable again.`,
    { cause: (unknown ?? unstored[0])?.failure.cause },
  );
}
