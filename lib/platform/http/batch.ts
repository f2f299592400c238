import { metricLine } from "../telemetry/emf.ts";
import { ApiError, type Issue } from "./error.ts";
import { type ApiOptions, countFault } from "./middleware.ts";

/** An entry of a batch that was not accepted, as answers show it. */
export interface Rejected {
  /** Position in the request. */
  index: number;
  /** Whether the same entry may be accepted later. */
  retryable: boolean;
  issues: readonly Issue[];
}

/** A valid entry that a store did not accept. */
export interface Unstored {
  index: number;
  /** Why, for the caller and for the log, and whether it may have been stored. */
  failure: { reason: string; cause: unknown; isUnknown: boolean };
}

/** The outcome of a batch of records or events. */
export interface Batch<Invalid extends Rejected, Left extends Unstored> {
  /** The word for the entries, also in the names of the metrics. */
  entries: "Records" | "Events";
  count: number;
  invalid: readonly Invalid[];
  unstored: readonly Left[];
  /** The place of `rejected` in the answer. */
  place: string;
  /** The word for an accepted entry; "stored" by default. */
  done?: string;
  /** In which form to send retryable entries again, if not as they were. */
  again?: string;
}

/** The part of the answer to a batch about what was accepted. */
export interface BatchResult<Entry> {
  status: number;
  error?: object;
  accepted: number;
  rejected: Entry[];
}

/**
 * Returns the result of a batch, and logs its counts and failures: 200 if at least one entry was accepted. Otherwise it
 * has an `error`: 400 if every entry is invalid, 500 if some may have been stored, 503 if the store rejected them.
 */
export function batchResult<Invalid extends Rejected, Left extends Unstored>(
  api: Pick<ApiOptions, "log" | "project">,
  requestId: string,
  batch: Batch<Invalid, Left>,
): BatchResult<Invalid | (Omit<Left, "failure"> & Rejected)> {
  const { entries, count, invalid, unstored, done = "stored" } = batch;
  const accepted = count - invalid.length - unstored.length;
  const counts = { Accepted: accepted, Rejected: invalid.length, Unstored: unstored.length };
  const metrics = Object.entries(counts).map(([name, value]) => {
    return { name: `${name}${entries}`, unit: "Count", value } as const;
  });
  api.log(metricLine({ Project: api.project }, metrics));
  for (const [{ reason, cause }, { length }] of Map.groupBy(unstored, ({ failure }) => failure)) {
    const message = `${length} of ${count} ${entries.toLowerCase()} were not ${done}: ${reason}`;
    api.log(JSON.stringify({ level: "warn", request_id: requestId, message, cause: String(cause) }));
  }
  const rejected = [...invalid, ...unstored.map((one) => rejectedOf(one, done))].toSorted((a, b) => a.index - b.index);
  if (accepted > 0) return { status: 200, accepted, rejected };
  const { code, message, statusCode } = noneAccepted(batch);
  if (statusCode >= 500) countFault(api, code);
  return { status: statusCode, error: { code, message, request_id: requestId }, accepted, rejected };
}

function rejectedOf<Left extends Unstored>(
  { failure, ...entry }: Left,
  done: string,
): Omit<Left, "failure"> & Rejected {
  const outcome = failure.isUnknown ? `may not have been ${done}` : `was not ${done}`;
  const issues = [{ path: "", message: `${outcome}: ${failure.reason}; send it again` }];
  return { ...entry, retryable: true, issues };
}

function noneAccepted({ entries, count, unstored, place, again = "" }: Batch<Rejected, Unstored>): ApiError {
  const none = `None of the ${count} ${entries.toLowerCase()} was accepted; ${place} has the reasons`;
  const [first] = unstored;
  if (!first) return new ApiError("invalid_request", `${none}.`);
  const unknown = unstored.find(({ failure }) => failure.isUnknown)?.failure;
  return new ApiError(
    unknown ? "outcome_unknown" : "upstream_unavailable",
    `${none}. Send those that are retryable again${again}.`,
    { cause: (unknown ?? first.failure).cause },
  );
}
