import { randomUUID } from "node:crypto";
import { isObject, parseJson } from "../../lib/platform/json/values.ts";
import { RunFailure } from "../../lib/search/index/rebuild/failure.ts";
import type { RunCalls } from "../../lib/search/index/rebuild/run-calls.ts";
import {
  chunksOf,
  type EmbedDocuments,
  rejectionText,
  TOO_LARGE,
  type Update,
  type Writable,
  type Written,
} from "../../lib/search/index/rebuild/write.ts";
import type { EmbeddingMapping } from "../../lib/settings/hybrid-search.ts";
import type { BulkAnswer, BulkItemResult } from "../../packages/clients/typescript/src/types.ts";

/** Documents of one bulk request: models embed them within its 28 seconds. */
const BATCH = 64;

const RETRY_MS = 500;
const LONGEST_DELAY_MS = 10_000;

/** Attempts for documents whose model is busy or paused, about five minutes in all. */
const ATTEMPTS = 35;

/**
 * Returns a writer that sends documents through the gateway's bulk endpoint, which embeds them. `calls` go to the
 * gateway's own API. `onDegraded` gets the reason when documents are stored without an embedding.
 */
export function embeddingWriter(
  calls: RunCalls,
): (target: string, onDegraded: (reason: string) => void) => EmbedDocuments {
  return (target, onDegraded) => async (copies) => {
    const outcomes: Written[] = [];
    const write = async (batch: ReadonlyArray<Writable | Update>): Promise<void> => {
      const written = await writeBatch(calls, target, batch, onDegraded);
      if (written) outcomes.push(...written);
      else {
        // One of them makes the whole request invalid, or too long.
        const middle = Math.ceil(batch.length / 2);
        await write(batch.slice(0, middle));
        await write(batch.slice(middle));
      }
    };
    for (const batch of chunksOf(copies, ({ source }) => Buffer.byteLength(source) + 200, BATCH)) await write(batch);
    return outcomes;
  };
}

/** An embedding field and the fields that it is made of. */
export type EmbeddedField = Pick<EmbeddingMapping, "embedding_field" | "src_fields">;

/**
 * Throws RunFailure unless the gateway embeds what the configuration says: the running one may have another. Asks with
 * updates of a document that does not exist, whose sources are numbers: a gateway that embeds them refuses these before
 * anything is sent, and otherwise there is nothing to update.
 */
export async function requireEmbedding(
  calls: RunCalls,
  index: string,
  mappings: readonly EmbeddedField[],
): Promise<void> {
  const id = `relevance-${randomUUID()}`;
  const fields = mappings.map(({ embedding_field }) => [embedding_field, null]);
  for (const { embedding_field: field, src_fields } of mappings) {
    const own = src_fields.map((path) => [path, 0]);
    // A field that is given is not computed.
    const doc = Object.fromEntries([...fields.filter(([other]) => other !== field), ...own]);
    const probe = { id, op: "update", ifUnchanged: { seqNo: 0, primaryTerm: 1 }, source: JSON.stringify(doc) } as const;
    const [outcome] = (await writeBatch(calls, index, [probe], () => undefined)) ?? [];
    const isEmbedded = outcome?.kind === "rejected" && outcome.reason.includes(` embedded into ${field},`);
    if (isEmbedded) continue;
    throw new RunFailure(
      `The gateway does not embed ${src_fields.join(" and ")} into ${field} of ${index}, as hybrid_search.yaml says: it runs ` +
        "with another configuration. Deploy this one, or restart `make dev`",
    );
  }
}

/** Stops a rebuild: documents without a vector are stored in their final version, so resuming would not embed them. */
export function refuseDegraded(reason: string): never {
  throw new RunFailure(
    `The gateway did not embed documents (${reason}). Deploy this configuration, cancel the run and start a new one`,
  );
}

/** Returns undefined if the gateway refuses the whole request, and it has several documents. */
async function writeBatch(
  calls: RunCalls,
  index: string,
  batch: ReadonlyArray<Writable | Update>,
  onDegraded: (reason: string) => void,
): Promise<Written[] | undefined> {
  const outcomes: Written[] = new Array(batch.length);
  let pending = batch.map((copy, place) => ({ copy, place }));
  for (let attempt = 0; pending.length > 0; attempt += 1) {
    const operations = pending.map(({ copy }) => operationText(copy)).join(",");
    const answer = await calls.send(
      {
        method: "POST",
        path: "/application/bulk",
        headers: { "content-type": "application/json" },
        body: `{"index":${JSON.stringify(index)},"bulk_request":[${operations}]}`,
      },
      [400, 413],
    );
    const body = parseJson(answer.body);
    if (answer.status >= 400) {
      const [reason, isAboutIndex] = refusalOf(body, answer.status);
      if (isAboutIndex) throw new RunFailure(reason);
      const [only, ...others] = pending;
      if (!only || others.length > 0) return undefined;
      outcomes[only.place] = { kind: "rejected", reason };
      return outcomes;
    }
    const { index_response, degraded } = body as BulkAnswer;
    if (degraded) onDegraded(degraded[0]?.reason ?? "");
    const { items } = index_response;
    const again: typeof pending = [];
    let reason = "";
    for (const [position, one] of pending.entries()) {
      const [item]: BulkItemResult[] = Object.values(items[position] ?? {});
      const { status = 500, result, error } = item ?? {};
      if (error?.retryable === true && status !== 409) {
        again.push(one);
        reason = error.reason ?? error.type;
      } else if (status === 409 || result === "noop" || (status === 404 && one.copy.op === "update"))
        outcomes[one.place] = { kind: "unchanged" };
      else if (error === undefined) outcomes[one.place] = { kind: "written" };
      else outcomes[one.place] = { kind: "rejected", reason: `${error.type}: ${error.reason}` };
    }
    if (again.length > 0) {
      if (attempt + 1 === ATTEMPTS) throw new RunFailure(`The gateway cannot store documents now: ${reason}`);
      calls.pace.refused();
      await calls.wait(Math.min(LONGEST_DELAY_MS, RETRY_MS * 2 ** attempt));
    }
    pending = again;
  }
  return outcomes;
}

/** Returns why a request was refused, and whether that is about the index. */
function refusalOf(body: unknown, status: number): [reason: string, isAboutIndex: boolean] {
  const error = isObject(body) && isObject(body.error) ? body.error : {};
  const issues = Array.isArray(error.issues) ? error.issues.filter(isObject) : [];
  const details = issues.map(({ path, message }) => `${path} ${message}`).join("; ");
  // API Gateway refuses a request with a message of its own, or with none.
  const told = [error.message, isObject(body) && body.message].find((text) => typeof text === "string");
  const reason = details || (status === 413 ? rejectionText(TOO_LARGE) : (told ?? `status ${status}`));
  return [reason, issues.some(({ path }) => path === "index")];
}

/** The document is put in as text, since parsing and printing would change its numbers. */
function operationText(one: Writable | Update): string {
  const { op = "index", id, routing, source } = one;
  const head = JSON.stringify({ id, op, routing, ...guardOf(one) });
  return `${head.slice(0, -1)},"doc":${source}}`;
}

function guardOf(one: Writable | Update): object {
  if (one.op === "update") {
    return { if_seq_no: one.ifUnchanged.seqNo, if_primary_term: one.ifUnchanged.primaryTerm };
  }
  const { id, version, versionType = "external" } = one;
  if (version === undefined) return {};
  if (version > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new RunFailure(
      `The version ${version} of document ${id} is above 2^53, which the bulk endpoint does not take`,
    );
  }
  return { version: Number(version), version_type: versionType };
}
