/** Fields that usually name a document. */
const TITLES = ["title", "name", "TITLE", "NAME", "headline", "label"];

/** Returns what a document is called; its id if nothing names it. */
export function titleOf(id: string, source: Record<string, unknown> | undefined): string {
  for (const field of TITLES) if (typeof source?.[field] === "string" && source[field] !== "") return source[field];
  return id;
}

/** Returns the longest text of a document, in which people look for what they wanted. */
export function textOf(source: Record<string, unknown> | undefined): string {
  const texts = Object.entries(source ?? {}).flatMap(([field, value]) =>
    typeof value === "string" && !TITLES.includes(field) ? value : [],
  );
  return texts.sort((a, b) => b.length - a.length)[0] ?? "";
}

/** Formats a score with three significant digits. */
export const shownScore = (score: number): string => (score === 0 ? "0" : Number(score.toPrecision(3)).toString());
