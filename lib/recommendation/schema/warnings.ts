import { eventTypeRoom, fieldsBesideTypes } from "../../personalize/limits.ts";
import { DATASETS, type Dataset, PROFILE_DATASETS } from "../../platform/contract/recommendation.ts";
import { shareText } from "../../platform/share.ts";
import { shellWord } from "../../platform/shell-word.ts";
import type { AvroSchema } from "../../settings/avro.ts";
import type { IdReport } from "./ids.ts";
import { placeOf } from "./row.ts";
import { RULES } from "./rules.ts";
import type { Sample } from "./sample.ts";

/**
 * Warns of columns that become text because of a few non-numeric values. The type cannot be changed after deployment.
 */
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

/** Returns non-numeric words in numeric columns, which `--null` could treat as missing. */
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

/** Leaves out texts with a digit: they are probably numbers in another notation. */
const missingWords = (texts: readonly string[]) =>
  texts.some((text) => /[\d,]/.test(text) || text.trim() !== text) ? [] : texts.toSorted();

/** Warns that training leaves out event types if there are more than Personalize accepts. */
export function tooManyTypes({ file, eventTypes }: Sample, { fields }: AvroSchema): string[] {
  const names = fields.map(({ name }) => name);
  const room = eventTypeRoom(names);
  if (eventTypes.size <= room) return [];
  return [
    `${file}  has ${number(eventTypes.size)} event types: beside ${fieldsBesideTypes(names).join(", ")}, Personalize takes ` +
      `${room}. event_types of solution.yaml says which; all events are stored`,
  ];
}

const NAMES = { user: "users", item: "items" } as const;
const COLUMNS = { user: "USER_ID", item: "ITEM_ID", interaction: "EVENT_ID" } as const;
const EFFECTS = {
  user: "training learns from them, but knows nothing else about these users",
  item: "training learns from them, but the service never recommends an item that it does not know",
} as const;
const KEPT = { user: "The last row", item: "The last row", interaction: "The first event" } as const;

/** Warns of repeated ids, and of events with unknown users or items. `events` is the number of events. */
export function idWarnings(
  { repeated, unknown, equal }: IdReport,
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
    ...(equal
      ? [
          `${placeOf(files.interaction ?? "", equal.second)}  equals ${placeOf(files.interaction ?? "", equal.first)}: ` +
            `${shareText(equal.rows, events, "events")} equal an earlier one. Each counts as an event, ${number(events)} in all; ` +
            "with an EVENT_ID, the first with an id counts",
        ]
      : []),
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
