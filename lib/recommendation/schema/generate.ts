import type { AvroSchema } from "../../config/avro.ts";
import type { EtlConfiguration } from "../../config/etl.ts";
import { nearest } from "../../config/nearest.ts";
import type { Dataset } from "../../core/contract/recommendation.ts";
import { eventTypeRoom, fieldsBesideTypes } from "../../personalize/limits.ts";
import { infer } from "./infer.ts";
import { SampleError } from "./row.ts";
import { RULES, TEXTUAL_FIELD } from "./rules.ts";
import { type EventTypes, readSample, type Sample } from "./sample.ts";

/** The paths of the three sample files, and the item columns to treat as text. */
export interface SampleFiles {
  user: string;
  item: string;
  interaction: string;
  textualFields: readonly string[];
}

/** The output of `schema-generation`. */
export interface Generated {
  schemas: Readonly<Record<Dataset, AvroSchema>>;
  etl: EtlConfiguration;
  /** The number of rows in each file. */
  rows: Readonly<Record<Dataset, number>>;
  eventTypes: EventTypes;
  /** What is allowed, but probably not meant. */
  warnings: string[];
}

/**
 * Infers the three schemas and the ETL configuration from CSV or JSON files of any size, in constant memory. Throws
 * SampleError with the problems of all three files.
 */
export async function generateSchemas(files: SampleFiles): Promise<Generated> {
  const outcomes = await Promise.allSettled([
    readSample("user", files.user),
    readSample("item", files.item),
    readSample("interaction", files.interaction),
  ]);
  const problems = outcomes.flatMap((outcome) => {
    if (outcome.status === "fulfilled") return [];
    if (outcome.reason instanceof SampleError) return outcome.reason.problems;
    throw outcome.reason;
  });
  const samples = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  problems.push(...textualProblems(files.textualFields, samples));
  const [user, item, interaction] = samples;
  if (problems.length > 0 || !user || !item || !interaction) throw new SampleError(problems);

  const made = {
    user: infer(user),
    item: infer(item, [...new Set(files.textualFields)]),
    interaction: infer(interaction),
  };
  return {
    schemas: { user: made.user.schema, item: made.item.schema, interaction: made.interaction.schema },
    etl: { user: made.user.etl, item: made.item.etl, interaction: made.interaction.etl },
    rows: { user: user.rows, item: item.rows, interaction: interaction.rows },
    eventTypes: interaction.eventTypes,
    warnings: [
      ...[user, item, interaction].flatMap((sample) => oddValues(sample, files.textualFields)),
      ...tooManyTypes(interaction, made.interaction.schema),
    ],
  };
}

/** Names each column that a few odd values turn from numbers into text, which cannot be changed after a deployment. */
function oddValues({ dataset, file, columns }: Sample, textual: readonly string[]): string[] {
  const { types, unflagged, beside } = RULES[dataset];
  const known = new Set([...Object.keys(types), ...unflagged, ...beside, ...textual]);
  return [...columns.values()].flatMap(({ name, values, oddities }) => {
    if (oddities === undefined || known.has(name)) return [];
    const { count, first } = oddities;
    const share = `${number(count)} of ${number(values)} values (${((100 * count) / values).toPrecision(2)} %)`;
    return [
      `${file}:${first.line}  ${name} becomes text because of ${share}: the first is ${JSON.stringify(first.text)}. ` +
        "Write numbers without words, blanks and separators of thousands, or leave the cell empty",
    ];
  });
}

/** Says that training will leave event types out, if there are more than Personalize takes. */
function tooManyTypes({ file, eventTypes }: Sample, { fields }: AvroSchema): string[] {
  const names = fields.map(({ name }) => name);
  const room = eventTypeRoom(names);
  if (eventTypes.size <= room) return [];
  return [
    `${file}  has ${number(eventTypes.size)} event types: beside ${fieldsBesideTypes(names).join(", ")}, Personalize takes ` +
      `${room}. event_types of solution.yaml says which; all events are stored`,
  ];
}

const number = (value: number) => value.toLocaleString("en");

function textualProblems(fields: readonly string[], samples: readonly Sample[]): string[] {
  const item = samples.find(({ dataset }) => dataset === "item");
  if (!item) return [];
  const candidates = [...item.columns.keys()].filter((name) => !RULES.item.unflagged.includes(name));
  return fields.flatMap((field) => {
    if (candidates.includes(field)) return [];
    if (field === TEXTUAL_FIELD || RULES.item.unflagged.includes(field)) {
      return [`--textual-fields: "${field}" is reserved and cannot be textual; ${choices(candidates)}`];
    }
    const other = samples.find(({ dataset, columns }) => dataset !== "item" && columns.has(field));
    if (other) {
      return [
        `--textual-fields: "${field}" is a column of the ${other.dataset} file; Personalize reads text of items only`,
      ];
    }
    const close = nearest(field, candidates);
    return [
      `--textual-fields: the item file has no column "${field}"; ${close ? `did you mean "${close}"?` : choices(candidates)}`,
    ];
  });
}

function choices(candidates: readonly string[]): string {
  return candidates.length > 0 ? `choose from ${candidates.join(", ")}` : "the item file has no other column";
}
