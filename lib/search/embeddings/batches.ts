/** Limits of one model call. */
export interface BatchLimits {
  texts: number;
  /** Bytes for the texts' JSON and the commas between them, without the rest of the body. */
  bytes: number;
}

/** One text of a batch: its index in the caller's list, and its JSON literal. */
export interface Part {
  index: number;
  json: string;
}

/**
 * Splits texts into batches within the limits, in order. `json` returns a text's literal, truncated so that it fits into
 * a batch by itself. Lazy, so that literals of later batches take no memory yet.
 */
export function* batches(
  texts: readonly string[],
  limits: BatchLimits,
  json: (text: string) => string,
): Generator<readonly Part[], void, undefined> {
  let batch: Part[] = [];
  let bytes = 0;
  for (const [index, text] of texts.entries()) {
    const part = { index, json: json(text) };
    const size = Buffer.byteLength(part.json) + 1;
    if (batch.length === limits.texts || (batch.length > 0 && bytes + size > limits.bytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(part);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/**
 * Returns the JSON literal of a text. A lone surrogate becomes U+FFFD: `JSON.stringify` would escape it as `\ud83d`, for
 * which strict parsers, such as that of Text Embeddings Inference, refuse the whole call.
 */
export function jsonLiteral(text: string): string {
  return JSON.stringify(text.toWellFormed());
}

/** Returns the text truncated to `length` UTF-16 units without splitting a character. */
export function cutCharacters(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length);
  return isHighSurrogate(cut.charCodeAt(length - 1)) ? cut.slice(0, -1) : cut;
}

/** Returns the literal of the longest prefix whose literal fits into `bytes`, without splitting a character. */
export function literalWithin(text: string, bytes: number): string {
  const whole = jsonLiteral(text);
  // A UTF-16 unit of a literal takes at most three bytes, so most texts need no count.
  if (whole.length * 3 <= bytes || Buffer.byteLength(whole) <= bytes) return whole;
  let fits = 0;
  let over = text.length;
  while (over - fits > 1) {
    const middle = (fits + over) >> 1;
    if (Buffer.byteLength(jsonLiteral(cutCharacters(text, middle))) <= bytes) fits = middle;
    else over = middle;
  }
  return jsonLiteral(cutCharacters(text, fits));
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;
