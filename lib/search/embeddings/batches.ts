/** What one call of a model takes. */
export interface BatchLimits {
  texts: number;
  /** Bytes of the texts' JSON and the commas between them; the frame of the body is already taken off. */
  bytes: number;
}

/** One text of a batch: its place in the caller's list and its JSON literal as it is sent. */
export interface Part {
  index: number;
  json: string;
}

/**
 * Cuts texts into batches within the limits, in order. `json` gives a text's literal, cut to the limit by the model's
 * rules, so that one part always fits. Lazy: literals of batches that are not running yet are not held in memory.
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
 * The JSON literal of a text. Half of a surrogate pair becomes U+FFFD: `JSON.stringify` would escape it as `\ud83d`,
 * which strict parsers (the Rust one of Text Embeddings Inference) refuse for the whole call.
 */
export function jsonLiteral(text: string): string {
  return JSON.stringify(text.toWellFormed());
}

/** The text up to `length` UTF-16 units, never cut inside a character. */
export function cutCharacters(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length);
  return isHighSurrogate(cut.charCodeAt(length - 1)) ? cut.slice(0, -1) : cut;
}

/** The literal of the longest start of a text whose literal fits `bytes`, never cut inside a character. */
export function literalWithin(text: string, bytes: number): string {
  const whole = jsonLiteral(text);
  // A literal has at most six bytes a UTF-16 unit (\u0000), so most texts need no count.
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
