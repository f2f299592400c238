import { MODELS } from "../../settings/embedding-models.ts";
import type { Splitting } from "../embeddings/passages.ts";
import { type Operation, roundsOf } from "./operations.ts";
import type { BulkTarget } from "./target.ts";

/** Operations of one round that are prepared and written together: about one `_bulk` body. */
export interface Window {
  operations: Operation[];
  /** The estimated size of their body, with embeddings. */
  bytes: number;
}

/**
 * Estimated bytes of one vector component in JSON, and of all weights of a sparse embedding. Measured on real models.
 */
const COMPONENT_BYTES = 12;

/** Assumed dimension of models whose dimension is not known here. */
const USUAL_DIMENSION = 1_024;
const SPARSE_BYTES = 6_000;
const ACTION_BYTES = 60;

/**
 * Returns the windows of a request, round by round. Without embeddings, each round is one window; it is split into
 * bodies when it is written.
 */
export function windowsOf(operations: readonly Operation[], target: BulkTarget, maxBytes: number): Window[] {
  const bytesIn = (op: Operation["op"], document: number) =>
    target.mappings.reduce((sum, { model_name, passages }) => {
      // An update reads and rewrites all passages of the stored document.
      const most = op === "update" ? passages?.max_passages : undefined;
      const parts = passages?.isStored ? (most ?? passagesIn(document, passages)) : 1;
      return sum + embeddingBytes(model_name) * parts;
    }, 0);
  return roundsOf(operations).flatMap((round) => {
    if (target.mappings.length === 0) return [{ operations: round, bytes: 0 }];
    const windows: Window[] = [];
    let window: Window | undefined;
    for (const operation of round) {
      const { slice, op } = operation;
      const document = slice ? slice.end - slice.start : 0;
      const bytes = ACTION_BYTES + document + (op === "delete" ? 0 : bytesIn(op, document));
      if (!window || window.bytes + bytes > maxBytes) {
        window = { operations: [], bytes: 0 };
        windows.push(window);
      }
      window.operations.push(operation);
      window.bytes += bytes;
    }
    return windows;
  });
}

/** Bytes of a token in plain text. */
const TOKEN_BYTES = 4;

const passagesIn = (bytes: number, { tokens, max_passages }: Splitting): number =>
  Math.min(max_passages, Math.max(1, Math.ceil(bytes / (tokens * TOKEN_BYTES))));

function embeddingBytes(name: keyof typeof MODELS): number {
  const model = MODELS[name];
  if (model.kind === "sparse") return SPARSE_BYTES;
  return ("dimension" in model ? model.dimension : USUAL_DIMENSION) * COMPONENT_BYTES;
}

/**
 * Returns a function that starts embeddings ahead, so that models work while the cluster writes. Starts the given
 * window and as many following ones, in any round, as fit into one body with it. So besides the window that is being
 * written, embeddings for one body are in memory, regardless of the request's length.
 */
export function createLookahead(
  windows: readonly Window[],
  maxBytes: number,
  start: (operations: readonly Operation[]) => void,
): (index: number) => void {
  /** The first window that is not started, and the bytes of the windows from `current` up to it. */
  let next = 0;
  let ahead = 0;
  let current = 0;
  return (index) => {
    for (; current < index; current += 1) if (current < next) ahead -= windows[current]?.bytes ?? 0;
    // With many short rounds, waits until half of the bytes are free, so that texts are sent to a model in batches
    // instead of one by one.
    if (next > index && ahead > maxBytes / 2) return;
    const from = next;
    for (; next < windows.length; next += 1) {
      const bytes = windows[next]?.bytes ?? 0;
      if (next > index && ahead + bytes > maxBytes) break;
      ahead += bytes;
    }
    if (next > from) start(windows.slice(from, next).flatMap(({ operations }) => operations));
  };
}
