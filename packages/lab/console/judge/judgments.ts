import { computed, signal } from "@preact/signals";
import { isAbout, isSameVoice, type Judgment } from "../../judgments/judgments.ts";
import { modelCheck } from "../../judgments/model-check.ts";
import type { JudgedRow } from "../../server/judgment-file.ts";
import { callConsole } from "../api.ts";
import { asked } from "../search/results.ts";
import { place } from "../state.ts";
import { rater } from "./rater.ts";

/** The chosen judgments file. */
export const file = signal<{ name: string; rows: JudgedRow[]; error: string }>({ name: "", rows: [], error: "" });
/** Names of all judgments files. */
export const names = signal<string[]>([]);

const pathOf = (name: string) => `/api/judgments/rows?name=${encodeURIComponent(name)}`;

/** A judgment that was saved: its row, or null if it was taken back. */
interface Saved extends Named {
  query: string;
  doc: string;
  index: string;
  row: JudgedRow | null;
}

/** Whose judgment it is. */
type Named = Pick<Judgment, "rater" | "adjudicated">;

/** The latest reading, and what was saved since it began, which its answer may lack. */
let reading: { name: string; saved: Saved[] } = { name: "", saved: [] };

/** Reads a judgments file, and the names of all. */
export async function readFile(name: string): Promise<void> {
  const started = { name, saved: [] };
  reading = started;
  const show = (rows: JudgedRow[], error: string) => {
    if (reading === started) file.value = { name, rows: started.saved.reduce(withSaved, rows), error };
  };
  try {
    const [{ rows }, found] = await Promise.all([
      callConsole<{ rows: JudgedRow[] }>("GET", pathOf(name)),
      callConsole<{ names: string[] }>("GET", "/api/judgments"),
    ]);
    names.value = found.names;
    show(rows, "");
  } catch (error) {
    show([], (error as Error).message);
  }
}

const withSaved = (rows: JudgedRow[], { query, doc, index, row, ...named }: Saved): JudgedRow[] => {
  const others = rows.filter(
    (other) => other.query !== query || other.doc !== doc || !isAbout(other, index) || !isSameVoice(other, named),
  );
  return row ? [...others, row] : others;
};

/**
 * Saves a judgment in a file at once, under this browser's name or as a decision; null takes it back. Returns whether it
 * is saved.
 */
export async function save(
  name: string,
  query: string,
  doc: string,
  grade: number | null,
  named: Named = rater.value === "" ? {} : { rater: rater.value },
): Promise<boolean> {
  try {
    const index = asked.value?.index ?? place.value.index;
    const sent = { query, doc, grade, index, ...named };
    const { row } = await callConsole<{ row: JudgedRow | null }>("POST", pathOf(name), sent);
    if (reading.name !== name) return true;
    const saved = { query, doc, index, row, ...named };
    reading.saved.push(saved);
    const rows = file.value.name === name ? file.value.rows : [];
    file.value = { name, rows: withSaved(rows, saved), error: "" };
    return true;
  } catch (error) {
    file.value = { ...file.value, error: (error as Error).message };
    return false;
  }
}

const rowsAboutIndex = () => file.value.rows.filter((row) => isAbout(row, place.value.index));

/** Returns all judgments of the chosen file about the chosen index. */
export const judgmentsAboutIndex = (): Judgment[] =>
  rowsAboutIndex().map(({ doc, ...row }) => ({ ...row, document: doc }));

/**
 * Returns the rows of the chosen file about the chosen index by whoever judges, and by nobody in particular if they gave
 * no name. Nobody should follow a language model or other raters.
 */
export const ownRows = (): JudgedRow[] =>
  rowsAboutIndex().filter((row) =>
    isSameVoice(row, { origin: "people", ...(rater.value !== "" && { rater: rater.value }) }),
  );

/** Judgments of a language model for the chosen index, and how many people have checked. */
export const check = computed(() => modelCheck(judgmentsAboutIndex()));

/** Returns the grades of a query by document. */
export function gradesOf(query: string): Map<string, number> {
  return new Map(ownRows().flatMap((row) => (row.query === query ? [[row.doc, row.grade] as const] : [])));
}
