import { eventTypeRoom, fieldsBesideTypes, MAX_TEXT } from "../../personalize/limits.ts";
import { DATASETS, type Dataset, PROFILE_DATASETS } from "../../platform/contract/recommendation.ts";
import { shareText } from "../../platform/share.ts";
import { shellWord } from "../../platform/shell-word.ts";
import type { AvroSchema } from "../../settings/avro.ts";
import type { IdReport } from "./ids.ts";
import { placeOf } from "./row.ts";
import { RULES } from "./rules.ts";
import type { Sample } from "./sample.ts";

/** Names each column that a few odd values turn from numbers into text, which cannot be changed after a deployment. */
export function oddValues({ dataset, file, columns }: Sample, textual: readonly string[]): string[] {
  return oddColumns({ dataset, columns }, textual).map(({ name, values, oddities: { count, first, texts } }) => {
    const words = missingWords(texts);
    const advice = "Write numbers without words, blanks and separators of thousands, or leave the cell empty";
    return (
      `${placeOf(file, first.place)}  ${name} becomes text because of ${shareText(count, values, "values")}: ` +
      `the first is ${JSON.stringify(first.text)}. ${advice}` +
      (words.length > 0
        ? `; --null ${shellWord(words.join(","))} treats ${words.length > 1 ? "these" : "it"} as no value`
        : "")
    );
  });
}

/** Returns the odd values of columns of numbers that are words, so that `--null` could treat them as missing. */
export function missingWordsOf(sample: Sample, textual: readonly string[]): string[] {
  return oddColumns(sample, textual).flatMap(({ oddities }) => missingWords(oddities.texts));
}

function oddColumns({ dataset, columns }: Pick<Sample, "dataset" | "columns">, textual: readonly string[]) {
  const { types, unflagged, beside } = RULES[dataset];
  const known = new Set([...Object.keys(types), ...unflagged, ...beside, ...textual]);
  return [...columns.values()].flatMap(({ name, values, oddities }) =>
    oddities === undefined || known.has(name) ? [] : [{ name, values, oddities }],
  );
}

/** A text with a digit is rather a number that is written in another way. */
const missingWords = (texts: readonly string[]) =>
  texts.some((text) => /[\d,]/.test(text) || text.trim() !== text) ? [] : texts.toSorted();

/** Says that training will leave event types out, if there are more than Personalize takes. */
export function tooManyTypes({ file, eventTypes }: Sample, { fields }: AvroSchema): string[] {
  const names = fields.map(({ name }) => name);
  const room = eventTypeRoom(names);
  if (eventTypes.size <= room) return [];
  return [
    `${file}  has ${number(eventTypes.size)} event types: beside ${fieldsBesideTypes(names).join(", ")}, Personalize takes ` +
      `${room}. event_types of solution.yaml says which; all events are stored`,
  ];
}

/** Names, by column, the first row that the service rejects, and says how many it rejects for whatever the column holds. */
export function rejectedRows({ file, dataset, rows, rejections }: Sample, textual: readonly string[]): string[] {
  return [...rejections].map(([column, { count, place, message }]) => {
    const isLong = dataset === "item" && !textual.includes(column) && /at most 1000 are allowed$/.test(message);
    const advice = isLong ? `. --textual-fields ${column} allows ${number(MAX_TEXT)}` : "";
    const [what, why] = column === "" ? [message, "this"] : [`${column} ${message}`, "this column"];
    return `${placeOf(file, place)}  ${what}: the service rejects ${shareText(count, rows, "rows")} for ${why}${advice}`;
  });
}

/** Says that IMPRESSION holds lists that the service takes for one id. */
export function foreignLists({ file, columns, foreignLists: found }: Sample): string[] {
  if (!found) return [];
  const all = columns.get("IMPRESSION")?.values ?? found.count;
  return [
    `${placeOf(file, found.place)}  IMPRESSION has ${shareText(found.count, all, "values")} that look like lists in another ` +
      `notation, and would be one id each: the first is ${found.message}. Write ids with a vertical bar between them: a|b`,
  ];
}

const NAMES = { user: "users", item: "items" } as const;
const COLUMNS = { user: "USER_ID", item: "ITEM_ID", interaction: "EVENT_ID" } as const;
const EFFECTS = {
  user: "training learns from them, but knows nothing else about these users",
  item: "training learns from them, but the service never recommends an item that it does not know",
} as const;
const KEPT = { user: "The last row", item: "The last row", interaction: "The first event" } as const;

/** Says which ids repeat, and how many events name users and items that the files lack. `events` is their number. */
export function idWarnings(
  { repeated, unknown }: IdReport,
  files: Readonly<Partial<Record<Dataset, string | undefined>>>,
  events: number,
): string[] {
  return [
    ...DATASETS.flatMap((dataset) => {
      const [found, file = ""] = [repeated[dataset], files[dataset]];
      if (!found) return [];
      return [
        `${placeOf(file, found.second)}  repeats the ${COLUMNS[dataset]} ${JSON.stringify(found.id)} of ` +
          `${placeOf(file, found.first)}: ${number(found.rows)} ${found.rows === 1 ? "row does" : "rows do"} so. ` +
          `${KEPT[dataset]} with an id counts`,
      ];
    }),
    ...PROFILE_DATASETS.toReversed().flatMap((dataset) => {
      const [found, file = ""] = [unknown[dataset], files.interaction];
      if (!found) return [];
      const hint =
        found.nearly > 0
          ? `. ${number(found.nearly)} would match without leading zeros, blanks, capitals and ".0": did another program rewrite the ids?`
          : "";
      return [
        `${placeOf(file, found.first)}  ${shareText(found.events, events, "events")} name ${NAMES[dataset]} that ` +
          `${files[dataset]} does not have, most often ${COLUMNS[dataset]} ${JSON.stringify(found.id)}: ${EFFECTS[dataset]}${hint}`,
      ];
    }),
  ];
}

const number = (value: number) => value.toLocaleString("en");
