import { MODELS } from "../../../config/embedding-models.ts";
import { type Operation, roundsOf } from "./operations.ts";
import type { Target } from "./target.ts";

/** Operations of one round that are prepared and written together: about one `_bulk` body. */
export interface Window {
  operations: Operation[];
  /** What their body takes, about, with embeddings. */
  bytes: number;
}

/** JSON of one component of a vector, and of a whole set of sparse weights: measured with the real models' ranges. */
const COMPONENT_BYTES = 12;
const SPARSE_BYTES = 6_000;
const ACTION_BYTES = 60;

/** The windows of a request, round after round; without embeddings a round is one, and cut when it is written. */
export function windowsOf(operations: readonly Operation[], target: Target, maxBytes: number): Window[] {
  const embeddings = target.mappings.reduce((sum, { model_name }) => sum + embeddingBytes(model_name), 0);
  return roundsOf(operations).flatMap((round) => {
    if (embeddings === 0) return [{ operations: round, bytes: 0 }];
    const windows: Window[] = [];
    let window: Window | undefined;
    for (const operation of round) {
      const { slice, op } = operation;
      const document = slice ? slice.end - slice.start : 0;
      const bytes = ACTION_BYTES + document + (op === "delete" ? 0 : embeddings);
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

function embeddingBytes(name: keyof typeof MODELS): number {
  const model = MODELS[name];
  return model.kind === "dense" ? model.dimension * COMPONENT_BYTES : SPARSE_BYTES;
}

/**
 * Starts the embeddings of windows before their turn, so that models work while the cluster writes: always those of
 * the window asked for, and of the following ones, in any round, as many as fit into one body with it. Beside the
 * window that is being written, one body's worth of embeddings exists, whatever the request's length.
 */
export function createLookahead(
  windows: readonly Window[],
  maxBytes: number,
  start: (operations: readonly Operation[]) => void,
): (index: number) => void {
  /** The first window that is not started, and what those from `current` to it take. */
  let next = 0;
  let ahead = 0;
  let current = 0;
  return (index) => {
    for (; current < index; current += 1) if (current < next) ahead -= windows[current]?.bytes ?? 0;
    // Many short rounds: texts go to a model in batches, not one by one as each round makes room for another.
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
