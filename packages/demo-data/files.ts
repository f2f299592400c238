import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PLACED_FIELDS } from "@relevance/lib/platform/contract/recommendation.ts";
import type { DemoData } from "./readers.ts";

/** The names of the three files that `relevance upload-sample` reads. */
export const DEMO_FILES = { users: "users.csv", items: "items.csv", interactions: "interactions.csv" } as const;

/** Returns the demo's data as the text of the three files. */
export function demoFiles({ books, readers, interactions }: DemoData): Record<keyof typeof DEMO_FILES, string> {
  return {
    users: csv(
      ["USER_ID", "GENDER", "AGE", "LOCATION", "MEMBERSHIP_ID"],
      readers.map((reader) => [reader.USER_ID, reader.GENDER, reader.AGE, reader.LOCATION, reader.MEMBERSHIP_ID]),
    ),
    items: csv(
      ["ITEM_ID", "TITLE", "AUTHOR", "CATEGORIES"],
      books.map((book) => [book.id, book.title, book.author, book.categories.join("|")]),
    ),
    interactions: csv(
      PLACED_FIELDS,
      interactions.map((event) => [
        event.USER_ID,
        event.ITEM_ID,
        event.EVENT_TYPE,
        event.EVENT_VALUE ?? "",
        event.TIMESTAMP,
        event.IMPRESSION?.join("|") ?? "",
      ]),
    ),
  };
}

/** Writes the three files to a folder and returns their paths. */
export async function writeDemoFiles(data: DemoData, folder: string): Promise<Record<keyof typeof DEMO_FILES, string>> {
  const texts = demoFiles(data);
  await mkdir(folder, { recursive: true });
  const write = async (name: keyof typeof DEMO_FILES) => {
    const path = join(folder, DEMO_FILES[name]);
    await writeFile(path, texts[name]);
    return path;
  };
  return { users: await write("users"), items: await write("items"), interactions: await write("interactions") };
}

/** Writes rows as CSV with a header. */
export function csv(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [header, ...rows].map((row) => `${row.map(cell).join(",")}\n`).join("");
}

function cell(value: string | number): string {
  const text = String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
