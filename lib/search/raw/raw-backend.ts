import { forbidden, type KeyRules } from "../../platform/http/access.ts";
import type { BytesCall } from "../../platform/http/body-handlers.ts";
import { ApiError } from "../../platform/http/error.ts";
import type { Call, ProxyEvent, Reply } from "../../platform/http/event.ts";
import { invalidRequest } from "../../platform/http/validate.ts";
import { retry } from "../../platform/resilience/deadline.ts";
import type { NativeRequest as CheckedCall } from "../access/calls.ts";
import { type Refusal, requireAllowed } from "../access/names.ts";
import { type AllowOptions, contentRefusal, nativeRefusal } from "../access/native.ts";
import { rightsOf } from "../access/rights.ts";
import { requireTemplate } from "../access/templates.ts";
import { heldWrites, wholeCallBlocked } from "../gateway/held-writes.ts";
import type { GatewaySettings } from "../gateway/settings.ts";
import { asApiError, callTimeout, isClusterError, readRetries } from "../opensearch/calls.ts";
import { type Cluster, type ClusterAnswer, ClusterFailure, type ClusterRequest } from "../opensearch/cluster.ts";
import type { IndexCatalog } from "../opensearch/index-catalog.ts";
import { timeLimited } from "../opensearch/time-limits.ts";
import { type Deny, denyRules, patternRule } from "./deny.ts";
import { requireHarmless } from "./harmless.ts";
import { isRead, nativeMethod, nativePath, parametersOf, queryString, withoutMarks } from "./native-call.ts";
import { requireOwnTask, startsTask, taskOf, taskOwner } from "./own-tasks.ts";
import { searchTimes } from "./search-times.ts";
import { forgetWritten, noteWritten, writtenBy } from "./written.ts";

/** Request headers that are forwarded to the cluster. */
const FORWARDED = ["content-type", "accept", "x-opaque-id"] as const;
/** Answer headers that are returned to the caller. */
const RETURNED = ["content-type", "warning", "location", "allow", "x-opaque-id", "x-opensearch-version"] as const;

/**
 * The most bytes of one forwarded header. Together with the gateway's own, the headers stay below OpenSearch's default
 * limit of 8 kB (`http.max_header_size`).
 */
const MAX_HEADER_BYTES = 1_024;

interface RawTools {
  settings: Pick<GatewaySettings, "raw_backend_deny" | "keys">;
  cluster: Cluster;
  catalog: IndexCatalog;
}

/** Serves ANY /raw-backend/<endpoint>, the cluster's own API. Returns its answers and errors unchanged. */
export function rawBackend({
  settings: { raw_backend_deny, keys = [] },
  cluster: whole,
  catalog,
}: RawTools): (event: ProxyEvent, call: BytesCall) => Promise<Reply> {
  const denied: Deny = denyRules(raw_backend_deny);
  const allowedTo = new Map(keys.map((key) => [key.name, allowedCalls(key)]));

  return async (event, call) => {
    const { segments, encoded } = nativePath(event.path);
    const { caller } = call;
    const body = withoutMarks(segments, call.bytes);
    requireTemplate(caller, null);
    const contentType = call.headers["content-type"];
    const method = nativeMethod(event.httpMethod, segments);
    const parameters = parametersOf(event);
    requireHarmless({ segments, contentType, parameters: event.multiValueQueryStringParameters, body });
    // A token may leave less than its key has.
    const allowed = caller.token ? allowedCalls(caller) : allowedTo.get(caller.name);
    requireAllowed(caller, refusalOf(caller, { method, segments, parameters, contentType, body }, allowed));
    if (allowed) {
      const task = taskOf(segments);
      const isListed = allowed.added.some((matches) => matches({ method, segments }));
      if (task !== undefined && !isListed) await requireOwnTask(whole, caller, task, call.deadline);
    }
    const owned = allowed && startsTask(parameters);
    // A rule may use the caller's method or the method sent to the cluster.
    const named = { segments, parameters, body };
    const why =
      denied({ ...named, method }) ??
      (event.httpMethod === method ? undefined : denied({ ...named, method: event.httpMethod }));
    if (why !== undefined) {
      throw forbidden(caller, "deny", `${event.httpMethod} /${segments.join("/").slice(0, 200)} ${why}`);
    }
    const read = isRead(method, segments);
    const written = read ? undefined : writtenBy({ segments, body });
    if (written) forgetWritten(catalog, written);
    const times = rightsOf(caller).limited ? searchTimes({ segments, parameters, body }) : undefined;
    const cluster = times ? timeLimited(whole, times.asked) : whole;
    const request = {
      read,
      method,
      path: encoded,
      query: queryString(times?.others ?? parameters),
      headers: {
        ...forwarded(call.headers),
        ...(owned && { "x-opaque-id": taskOwner(caller, call.headers["x-opaque-id"]) }),
      },
      ...(body.length > 0 && { body }),
    };
    let answer = await send(cluster, call, request);
    if (written) {
      const holds = heldWrites({ cluster: whole, deadline: call.deadline });
      for (let blocked = wholeCallBlocked(answer); blocked !== undefined; blocked = wholeCallBlocked(answer)) {
        if (!(await holds.retry(blocked))) break;
        catalog.forget();
        answer = await send(cluster, call, request);
      }
      noteWritten(catalog, written, answer);
    }
    const returned = method === "HEAD" ? [...RETURNED, "content-length"] : RETURNED;
    const { "x-opaque-id": sent, ...headers } = pick(answer.headers, returned);
    const opaque = owned ? call.headers["x-opaque-id"] : sent;
    return {
      status: answer.status,
      headers: { ...headers, ...(opaque !== undefined && { "x-opaque-id": opaque }) },
      body: answer.body,
    };
  };
}

function refusalOf(caller: KeyRules, call: CheckedCall, allowed: AllowOptions | undefined): Refusal | undefined {
  if (allowed) return nativeRefusal(caller, call, allowed);
  const rights = rightsOf(caller);
  const isFree = rights.scripts && Object.keys(rights.limits).length === 0;
  return isFree ? undefined : contentRefusal(call, { ...rights, grant: null });
}

/** Returns the allowed calls of a key; undefined if every call is allowed. */
function allowedCalls(key: KeyRules): AllowOptions | undefined {
  const { raw_backend: rules = ["recommended"], indexes } = key;
  if (rules === "all" && indexes === undefined && key.endpoints.includes("raw-backend")) return undefined;
  const listed = rules === "all" ? [] : rules;
  return {
    recommended: listed.includes("recommended"),
    added: listed.filter((rule) => rule !== "recommended").map(patternRule),
  };
}

interface NativeRequest extends ClusterRequest {
  read: boolean;
}

/**
 * Sends a native call. Retries a write only if no connection was made, because later failures leave its outcome
 * unknown. The official clients retry 502, 503 and 504 on their own, so an unknown outcome must have another status.
 */
async function send(cluster: Cluster, call: Call, request: NativeRequest): Promise<ClusterAnswer> {
  const { read } = request;
  let answer: ClusterAnswer;
  try {
    answer = await retry(() => cluster.send(request, callTimeout(call.deadline)), {
      deadline: call.deadline,
      retryable: read ? readRetries() : isRefused,
    });
  } catch (error) {
    if (!read && error instanceof ClusterFailure && error.sent && error.kind !== "too_large") {
      throw outcomeUnknown(
        error.kind === "timeout"
          ? "The search cluster did not answer this request in time"
          : "The connection to the search cluster broke after this request was sent",
        error,
      );
    }
    throw asApiError(error);
  }
  if (!read && MEANS_NOT_DONE.has(answer.status) && !isClusterError(answer)) {
    throw outcomeUnknown(`Something in front of the search cluster answered this request with ${answer.status}`);
  }
  return answer;
}

/** Statuses by which clients conclude that nothing was executed. */
const MEANS_NOT_DONE = new Set([429, 502, 503, 504]);

const isRefused = (error: unknown) => error instanceof ClusterFailure && error.kind === "refused";

function outcomeUnknown(what: string, cause?: ClusterFailure): ApiError {
  return new ApiError(
    "outcome_unknown",
    `${what}. Whether it was executed is unknown: look at what is stored before you send it again.`,
    { cause: cause ?? what },
  );
}

function forwarded(headers: Call["headers"]): Record<string, string> {
  const picked = pick(headers, FORWARDED);
  const issues = Object.entries(picked).flatMap(([name, value]) => {
    const bytes = Buffer.byteLength(value);
    return bytes > MAX_HEADER_BYTES
      ? [{ path: `headers.${name}`, message: `has ${bytes} bytes, at most ${MAX_HEADER_BYTES} are forwarded` }]
      : [];
  });
  if (issues.length > 0) throw invalidRequest(issues);
  return picked;
}

function pick(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  names: readonly string[],
): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = headers[name];
    if (value !== undefined) picked[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return picked;
}
