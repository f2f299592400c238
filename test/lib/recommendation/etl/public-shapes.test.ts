// Files in the shape of public ones: every row is accepted, rejected with its line, trained, or left out with a reason.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { seeded } from "../../../../lib/core/statistics/random.ts";
import { sum } from "../../../../lib/core/sum.ts";
import { eventParser } from "../../../../lib/recommendation/records/event.ts";
import { type Profile, profileParser } from "../../../../lib/recommendation/records/profile.ts";
import type { Parsed } from "../../../../lib/recommendation/records/value.ts";
import { generateSchemas } from "../../../../lib/recommendation/schema/generate.ts";
import { batchesOf } from "../../../../lib/recommendation/upload/files.ts";
import { suite } from "../../../suite.ts";
import { readManifest, world } from "./run.ts";

const test = suite("files in the shape of public ones");

const EVENTS = 300;
const HEADER = ["USER_ID", "ITEM_ID", "EVENT_TYPE", "TIMESTAMP", "EVENT_VALUE"];

/** How a data set differs from the others, and what that leads to. */
interface Shape {
  item: { name: string; text: string };
  separator: string;
  /** The ITEM_ID that an event has for the item of this number. */
  idOf: (item: number) => string;
  types: readonly string[];
  /** Lines of items that the service rejects. */
  rejectedItems: readonly number[];
  items: number;
  /** Whether an event names an item that is not stored. */
  isUnknown: (item: number) => boolean;
}

const numbers = [...new Array(20).keys()];
const isbn = (item: number) => `${item % 2 ? "0" : "9"}19515344${item}`;
const json = JSON.stringify;

const SHAPES: Record<string, Shape> = {
  "MovieLens: tabs, genres with bars": {
    item: {
      name: "movies.csv",
      text: `ITEM_ID\tTITLE\tGENRES\n${numbers.map((n) => `${n}\tFilm ${n} (1995)\tDrama|War\n`).join("")}`,
    },
    ...{ separator: "\t", idOf: String, types: ["rating"], rejectedItems: [], items: 20, isUnknown: () => false },
  },
  "Book-Crossing: semicolons, a NUL, ids that lost their zeros": {
    item: {
      name: "books.csv",
      text: `"ITEM_ID";"TITLE";"YEAR"\n${numbers.map((n) => `"${isbn(n)}";"Book${n === 4 ? "\0" : ""}; ${n}";"${n === 3 ? "DK Inc" : 2000 + n}"\n`).join("")}`,
    },
    ...{ separator: ";", idOf: (n) => isbn(n).replace(/^0/, ""), types: ["rating"], rejectedItems: [6], items: 19 },
    isUnknown: (n) => n % 2 === 1 || n === 4,
  },
  "Goodbooks: an array of JSON on one line, years as floats": {
    item: {
      name: "books.json",
      text: `[${numbers.map((n) => `{"ITEM_ID": ${n === 7 ? json("7|8") : n}, "TITLE": ${json(`Book ${n}`)}, "YEAR": ${n === 2 ? '"n/a"' : "2008.0"}}`).join(", ")}]`,
    },
    ...{
      separator: ",",
      idOf: String,
      types: ["to-read", "rating"],
      rejectedItems: [1],
      items: 19,
      isUnknown: (n) => n === 7,
    },
  },
  "the retail demo: 12 event types": {
    item: {
      name: "items.csv",
      text: `ITEM_ID,PROMOTED,PRICE\n${numbers.map((n) => `i${n},${n % 3 ? "False" : "True"},${n}.99\n`).join("")}`,
    },
    ...{ separator: ",", idOf: (n) => `i${n}`, types: [..."abcdefghijkl"].map((type) => `Type${type}`) },
    ...{ rejectedItems: [], items: 20, isUnknown: () => false },
  },
};

for (const [index, [name, shape]] of Object.entries(SHAPES).entries()) {
  test(`account for every row of ${name}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), "shape-"));
    const random = seeded(index + 1);
    const drawn = Array.from({ length: EVENTS }, () => Math.floor(random() * numbers.length));
    const rows = drawn.map((item, at) => {
      const type = shape.types[Math.floor(random() ** 2 * shape.types.length)] ?? "";
      return [`u${at % 30}`, shape.idOf(item), type, String(1_740_000_000 + at), `${(at % 10) / 2}`];
    });
    const [item, interaction] = [join(folder, shape.item.name), join(folder, "events.csv")];
    writeFileSync(item, shape.item.text);
    writeFileSync(interaction, [HEADER, ...rows].map((cells) => `${cells.join(shape.separator)}\n`).join(""));
    const { schemas, etl, warnings } = await generateSchemas({ item, interaction, textualFields: [] });
    const definitions = { schemas, etl };

    const items = await judged("item", item, profileParser("item", definitions));
    assert.equal(items.rejected, shape.rejectedItems);
    assert.is(items.accepted.length, shape.items);
    assert.is(items.accepted.length + items.rejected.length, numbers.length);
    assert.is(
      warnings.some((warning) => warning.includes("the service rejects 1 of 20 rows")),
      items.rejected.length > 0,
    );
    const events = await judged("interaction", interaction, eventParser(definitions));
    assert.equal([events.accepted.length, events.rejected], [EVENTS, []]);

    const made = world();
    made.records.user = [];
    made.records.item = items.accepted.map((record: Profile) => ({ ...record }));
    made.deploy({ ...definitions, event_types: { named: [], others: true, most: 8 } });
    made.events("2025-03-01", "a", [...events.accepted, ...events.accepted.slice(0, 5)]);
    await made.run("r");
    const manifest = await readManifest(made.store, "r");
    assert.ok(manifest);
    const leftOut = sum(Object.values(manifest.event_types_left_out), (count) => count);
    assert.equal([manifest.item.rows, manifest.duplicates, manifest.interaction.rejected], [shape.items, 5, 0]);
    assert.is(manifest.interaction.rows + leftOut, EVENTS);
    assert.is(leftOut > 0, shape.types.length > 8);
    const unknown = drawn.filter(shape.isUnknown).length;
    assert.is(manifest.unknown?.items, unknown);
    const said = warnings.find((warning) => warning.includes("name items that"));
    assert.is(said !== undefined, unknown > 0);
    rmSync(folder, { recursive: true });
  });
}

/** Returns the records that the API accepts, and the lines of those that it rejects. */
async function judged<T>(dataset: "item" | "interaction", file: string, parse: (record: unknown) => Parsed<T>) {
  const accepted: T[] = [];
  const rejected: number[] = [];
  for await (const batch of batchesOf(dataset, file)) {
    for (const { place, record } of batch) {
      const parsed = parse(record);
      if ("record" in parsed) accepted.push(parsed.record);
      else rejected.push(place.line);
    }
  }
  return { accepted, rejected };
}

test.run();
