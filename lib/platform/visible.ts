/**
 * Characters that a terminal obeys instead of showing them: control characters, except tabs and line breaks, and those
 * that change the direction of text, by which it can read as something else.
 */
const OBEYED = /(?!\t|\n|\r\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Returns text in which characters that a terminal would obey are written as `\u001b`. JSON keeps its value. */
export function visible(text: string): string {
  return text.replaceAll(OBEYED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
