/**
 * Returns a copy of the text in its own memory. V8's sliced strings (13 characters or more) keep the whole original
 * string in memory, so a set of ids cut from segments would keep every segment. Measured: 1,000,000 ids cut from rows
 * of 130 characters take 174 MB of heap, their copies 100 MB.
 */
export function ownText(text: string): string {
  return text.length < 13 ? text : ` ${text}`.slice(1);
}
