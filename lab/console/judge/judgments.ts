import { signal } from "@preact/signals";
import { isAbout } from "../../judgments/judgments.ts";
import type { JudgedRow } from "../../server/judgment-files.ts";
import { callConsole } from "../api.ts";
import { asked } from "../search/results.ts";
import { place } from "../state.ts";

/** The chosen judgments file. */
export const file = signal<{ name: string; rows: JudgedRow[]; error: string }>({ name: "", rows: [], error: "" });
/** Names of all judgments files. */
export const names = signal<string[]>([]);

const pathOf = (name: string) => `/api/judgments/rows?name=${encodeURIComponent(name)}`;

/** Counts what changes {@link file}, so that an answer that comes late does not undo a later change. */
let changes = 0;

/** Reads a judgments file, and the names of all. */
export async function readFile(name: string): Promise<void> {
  changes += 1;
  const change = changes;
  const show = (rows: JudgedRow[], error: string) => {
    if (change === changes) file.value = { name, rows, error };
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

/** Saves a judgment in a file at once; null takes it back. Returns whether it is saved. */
export async function save(name: string, query: string, doc: string, grade: number | null): Promise<boolean> {
  try {
    const index = asked.value?.index ?? place.value.index;
    const sent = { query, doc, grade, index };
    const { rows } = await callConsole<{ rows: JudgedRow[] }>("POST", pathOf(name), sent);
    changes += 1;
    file.value = { name, rows, error: "" };
    return true;
  } catch (error) {
    file.value = { ...file.value, error: (error as Error).message };
    return false;
  }
}

/** Returns the rows of the chosen file about the chosen index. */
export const ownRows = (): JudgedRow[] => file.value.rows.filter((row) => isAbout(row, place.value.index));

/** Returns the grades of a query by document. */
export function gradesOf(query: string): Map<string, number> {
  return new Map(ownRows().flatMap((row) => (row.query === query ? [[row.doc, row.grade] as const] : [])));
}
