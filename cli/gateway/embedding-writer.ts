import type { SourceCopy } from "../../lib/search/index/rebuild/documents.ts";
import { RunFailure } from "../../lib/search/index/rebuild/failure.ts";
import type { WriteCopies, Written } from "../../lib/search/index/rebuild/write.ts";
import type { Gateway } from "./gateway.ts";

/** Documents of one bulk request: models embed them within its 28 seconds. */
const BATCH = 64;

interface Item {
  status: number;
  error?: { type: string; reason: string; retryable?: boolean };
}

interface BulkBody {
  index_response: { items: Array<{ index: Item }> };
  degraded?: Array<{ reason: string }>;
}

/** Attempts for documents whose model is busy, about a minute in all. */
const ATTEMPTS = 8;

/** Returns a writer that sends copies through the gateway's bulk endpoint, which embeds them. */
export function embeddingWriter({ post }: Pick<Gateway, "post">): (target: string) => WriteCopies {
  return (target) => async (copies) => {
    const outcomes: Written[] = [];
    for (let from = 0; from < copies.length; from += BATCH) {
      outcomes.push(...(await writeBatch(post, target, copies.slice(from, from + BATCH))));
    }
    return outcomes;
  };
}

async function writeBatch(post: Gateway["post"], index: string, batch: readonly SourceCopy[]): Promise<Written[]> {
  const outcomes: Written[] = [];
  let pending = batch.map((copy, place) => ({ copy, place }));
  for (let attempt = 0; pending.length > 0; attempt += 1) {
    const operations = pending.map(({ copy }) => operationText(copy)).join(",");
    const { body } = await post(
      "/application/bulk",
      `{"index":${JSON.stringify(index)},"bulk_request":[${operations}]}`,
    );
    const { index_response, degraded } = body as BulkBody;
    if (degraded) {
      // They are stored without a vector in their final version, so resuming would not embed them.
      throw new RunFailure(
        `The gateway did not embed documents (${degraded[0]?.reason}). Deploy this configuration, cancel the run and begin anew`,
      );
    }
    const { items } = index_response;
    const again: typeof pending = [];
    for (const [position, one] of pending.entries()) {
      const { status, error } = items[position]?.index ?? { status: 500 };
      if (error?.retryable === true && status !== 409 && attempt + 1 < ATTEMPTS) again.push(one);
      else if (status === 409) outcomes[one.place] = { kind: "unchanged" };
      else if (error === undefined) outcomes[one.place] = { kind: "written" };
      else outcomes[one.place] = { kind: "rejected", reason: `${error.type}: ${error.reason}` };
    }
    pending = again;
  }
  return outcomes;
}

/** The document is put in as text, since parsing and printing would change its numbers. */
function operationText({ id, routing, version, source }: SourceCopy): string {
  if (version > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new RunFailure(
      `The version ${version} of document ${id} is above 2^53, which the bulk endpoint does not take`,
    );
  }
  const head = JSON.stringify({ id, op: "index", routing, version: Number(version), version_type: "external" });
  return `${head.slice(0, -1)},"doc":${source}}`;
}
