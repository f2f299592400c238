/** Characters of a document that a model reads. The first thousand words tell what it is about, and the cost is bounded. */
const MAX_CHARACTERS = 6_000;

/**
 * Returns what a model reads of a document: a line for each member with a text, a number or a list of such, without long
 * lists of numbers, which are vectors. Empty if there is none.
 */
export function documentText(source: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(source).flatMap(([name, value]) => {
    const words = wordsIn(value);
    return words === "" ? [] : [`${name}: ${words}`];
  });
  return lines.join("\n").slice(0, MAX_CHARACTERS).toWellFormed();
}

function wordsIn(value: unknown): string {
  if (typeof value === "string") return value.trim();
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (!Array.isArray(value) || (value.length > MOST_NUMBERS && typeof value[0] === "number")) return "";
  return value
    .map(wordsIn)
    .filter((words) => words !== "")
    .join(", ");
}

const MOST_NUMBERS = 20;
