import * as v from "valibot";
import type { RecordStream } from "../../platform/aws/record-stream.ts";
import { batchResult, type Rejected } from "../../platform/http/batch.ts";
import type { JsonCall, Reply } from "../../platform/http/event.ts";
import type { ApiOptions } from "../../platform/http/middleware.ts";
import { issueOf } from "../../platform/http/validate.ts";
import { keyInTime } from "../../platform/request-log/user-ids.ts";
import type { EventsSettings } from "../gateway/settings.ts";
import { type EventsRequest, eventLine, timeProblem, UbiEvent } from "../request-log/ubi-event.ts";

/** Services of the endpoint. */
export interface EventsServices {
  settings: EventsSettings;
  api: ApiOptions;
  /** Stores lines in the bucket. */
  stream: RecordStream;
  /** Returns the key for hashing user ids; undefined if they are not hashed or the key cannot be read. */
  userIdKey: () => Promise<string | undefined>;
  now: () => Date;
}

/**
 * Answers `POST /application/events`: stores events in the bucket of the request log. An event counts as accepted once
 * the delivery stream has it. Other events of the request are not affected by one that fails.
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
    const message = parsed.success ? timeProblem(parsed.output.timestamp, source.receivedAt) : undefined;
    if (message) invalid.push({ index, retryable: false, issues: [{ path: "timestamp", message }] });
    else if (parsed.success) valid.push({ index, line: eventLine(parsed.output, source, logSettings) });
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
  const { status, ...body } = batchResult(services.api, call.requestId, {
    entries: "Events",
    count: call.body.events.length,
    place: "rejected",
    invalid,
    unstored,
  });
  return { status, body: JSON.stringify(body) };
}

const NOT_AN_OBJECT = v.safeParse(v.never("must be an object"), []);
