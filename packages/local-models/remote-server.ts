import { setTimeout as sleep } from "node:timers/promises";
import type { ModelKind } from "@relevance/lib/settings/embedding-models.ts";
import type { InferenceServer } from "./inference-server.ts";

/** The user's server does not behave like Text Embeddings Inference. The message says what to do. */
export class RemoteServerError extends Error {
  override name = "RemoteServerError";
}

export interface RemoteServer extends InferenceServer {
  /** Dimension of its vectors. Undefined for a sparse model. */
  dimension: number | undefined;
  /** The model's repository or folder as the server reports it; undefined if it does not. */
  modelId: string | undefined;
}

/** SageMaker's timeout for a response. */
const ANSWER_TIMEOUT_MS = 60_000;
const PROBE_TIMEOUT_MS = 10_000;

/**
 * Connects to a real Text Embeddings Inference server that replaces a stand-in (`EMBEDDING_URL_<MODEL>`). Requests one
 * embedding first, to check that the server is up and of the right kind, and to get its dimension.
 */
export async function connectRemoteServer(url: string, kind: ModelKind): Promise<RemoteServer> {
  const base = url.endsWith("/") ? url : `${url}/`;
  const route = new URL(kind === "dense" ? "embed" : "embed_sparse", base);
  const post = async (body: Buffer | string, timeoutMs: number) => {
    const answer = await fetch(route, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: answer.status, body: await answer.text() };
  };

  const probe = await post(JSON.stringify({ inputs: "probe", truncate: true }), PROBE_TIMEOUT_MS).catch(
    (cause: unknown) => {
      throw new RemoteServerError(
        `no embedding server answers at ${route}: start it, or leave the variable out to use the stand-in`,
        { cause },
      );
    },
  );
  if (probe.status !== 200) {
    const hint = kind === "sparse" ? " (a sparse model needs POOLING=splade)" : "";
    throw new RemoteServerError(`${route} answered ${probe.status}: ${probe.body.slice(0, 200)}${hint}`);
  }

  return {
    dimension: kind === "dense" ? dimensionOf(probe.body, route) : checkSparse(probe.body, route),
    modelId: await modelIdAt(new URL("info", base)),
    async invoke(body) {
      try {
        return await post(body, ANSWER_TIMEOUT_MS);
      } catch {
        // An endpoint without its container returns a 503. The pause keeps callers from retrying in a tight loop.
        await sleep(10);
        return { status: 503, body: JSON.stringify({ error: `no answer from ${route}`, error_type: "unhealthy" }) };
      }
    },
  };
}

async function modelIdAt(route: URL): Promise<string | undefined> {
  try {
    const answer = await fetch(route, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    const { model_id: id } = (await answer.json()) as { model_id?: unknown };
    return typeof id === "string" ? id : undefined;
  } catch {
    return undefined;
  }
}

function dimensionOf(body: string, route: URL): number {
  const first = firstOf(body);
  if (Array.isArray(first) && first.length > 0 && first.every((value) => typeof value === "number"))
    return first.length;
  throw new RemoteServerError(`${route} does not answer with vectors: is it a dense embedding model?`);
}

function checkSparse(body: string, route: URL): undefined {
  const first = firstOf(body);
  const [entry] = Array.isArray(first) ? first : [];
  if (typeof (entry as { index?: unknown } | undefined)?.index === "number") return undefined;
  throw new RemoteServerError(`${route} does not answer with tokens: is it a sparse model with POOLING=splade?`);
}

function firstOf(body: string): unknown {
  try {
    const list: unknown = JSON.parse(body);
    return Array.isArray(list) ? list[0] : undefined;
  } catch {
    return undefined;
  }
}
