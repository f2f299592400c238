import { adviceOn } from "./advice.ts";
import type { ServiceCall } from "./curl.ts";

/** An error to show where it happened, in the words of the service, with how to fix it. */
export class CallError extends Error {
  readonly status: number;
  /** The service's name for the error; empty if it gave none. */
  readonly code: string;

  constructor(status: number, message: string, code = "") {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** An answer with what its headers say. */
export interface Answer<Body> {
  body: Body;
  /** Milliseconds by stage, as the gateway measured them. */
  stages: Record<string, number>;
  /** Milliseconds from the console's server to the gateway and back. */
  milliseconds: number;
}

/**
 * Calls a service through the console's server, which adds the key. Throws CallError. The types of answers are those of
 * `packages/clients/typescript`; its calls would need the key.
 */
export function callService<Body>(call: ServiceCall, signal?: AbortSignal): Promise<Answer<Body>> {
  const { service, method, path, body } = call;
  return send(method, `/proxy/${service}${path}`, body, signal);
}

/** Calls the console's server itself. Throws CallError. */
export async function callConsole<Body>(method: "GET" | "POST", path: string, body?: unknown): Promise<Body> {
  return (await send<Body>(method, path, body)).body;
}

async function send<Body>(method: string, path: string, body: unknown, signal?: AbortSignal): Promise<Answer<Body>> {
  let answer: Response;
  try {
    answer = await fetch(path, {
      method,
      headers: { "x-relevance-console": "1", ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch {
    if (signal?.aborted) throw new CallError(0, "Stopped.");
    throw new CallError(0, "The console's server does not answer. Has it been stopped? Start it again and reload.");
  }
  const text = await answer.text();
  const parsed = parse(text);
  if (!answer.ok) {
    const { code = "" } = ((parsed ?? {}) as ErrorBody).error ?? {};
    throw new CallError(answer.status, messageOf(answer.status, parsed, text), code);
  }
  return {
    body: parsed as Body,
    stages: stagesOf(answer.headers.get("server-timing") ?? ""),
    milliseconds: Number(answer.headers.get("x-console-milliseconds") ?? 0),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface ErrorBody {
  error?: {
    code?: string;
    message?: string;
    /** OpenSearch's own errors, which raw-backend passes on. */
    type?: string;
    reason?: string;
    issues?: { path: string; message: string }[];
    cause?: { reason?: string };
  };
  message?: string;
}

function messageOf(status: number, parsed: unknown, text: string): string {
  const { error, message } = (parsed ?? {}) as ErrorBody;
  const issues = error?.issues?.map((issue) => `${issue.path} ${issue.message}`) ?? [];
  // Raw JSON explains nothing to anybody.
  const own = parsed === undefined ? text.slice(0, 300) : "the service gave no reason";
  const said = [error?.message ?? error?.reason ?? message ?? own, ...issues, error?.cause?.reason];
  const words = `${status}: ${said.filter((part) => part !== undefined && part !== "").join(" – ")}`;
  const advice = adviceOn(error?.code ?? error?.type);
  return advice === undefined ? words : `${words}\n${advice}`;
}

/** Reads `total;dur=12, cluster;dur=8`. */
function stagesOf(header: string): Record<string, number> {
  const parts = header.split(",").map((part) => /^\s*([\w-]+);dur=([\d.]+)/.exec(part));
  return Object.fromEntries(parts.flatMap((match) => (match ? [[match[1] ?? "", Number(match[2])]] : [])));
}
