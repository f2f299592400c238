import type { Dataset } from "../../platform/contract/recommendation.ts";
import { DATASETS } from "../../platform/contract/recommendation.ts";
import type { AvroSchema } from "../../settings/avro.ts";
import { type EtlConfiguration, type FileFormat, PLAIN_FILES } from "../../settings/etl.ts";
import { nearest } from "../../settings/nearest.ts";
import type { Definitions } from "../records/layout.ts";
import type { Constants } from "./constants.ts";
import { withIds } from "./ids.ts";
import { infer } from "./infer.ts";
import { rejectedRows } from "./rejections.ts";
import { SampleError } from "./row.ts";
import { RULES, TEXTUAL_FIELD } from "./rules.ts";
import { type EventTypes, emptySample, readSample, type Sample, type SampleOptions } from "./sample.ts";
import { idWarnings, missingWordsOf, oddValues, tooManyTypes } from "./warnings.ts";

/**
 * Paths of sample files, any of which may be missing; item columns to treat as text; and how the files are read.
 */
export interface SampleFiles {
  user?: string | undefined;
  item?: string | undefined;
  interaction?: string | undefined;
  textualFields: readonly string[];
  format?: FileFormat;
  /** Whether a row that the service rejects is an error. */
  strict?: boolean;
  constants?: Constants;
  /** Schemas that the rows must fit. Default: any that fits the files. */
  definitions?: Definitions;
}

/** Content of the sample files. */
interface Samples {
  /** A dataset without a file has its id as the only column, and no rows. */
  samples: Readonly<Record<Dataset, Sample>>;
  /** Warnings: valid but probably a mistake. */
  warnings: string[];
}

/** The output of `schema-generation`. */
export interface Generated {
  schemas: Readonly<Record<Dataset, AvroSchema>>;
  etl: EtlConfiguration;
  /** The number of rows in each file. */
  rows: Readonly<Record<Dataset, number>>;
  eventTypes: EventTypes;
  /** Warnings: valid but probably a mistake. */
  warnings: string[];
  /** Words in numeric columns that probably mean "no value". */
  missingWords: string[];
}

/**
 * Reads the sample files once, in bounded memory, whatever their size. Throws SampleError with the problems of all files.
 */
export async function readSamples(files: SampleFiles): Promise<Samples> {
  const { textualFields: textual, constants, format = PLAIN_FILES, strict = false } = files;
  const given = DATASETS.filter((dataset) => files[dataset] !== undefined);
  const { result: samples, ids } = await withIds(given, async (addIds) => {
    const options: SampleOptions = {
      ...{ format, textual, addIds, strict },
      ...(constants && { constants }),
      ...(files.definitions && { definitions: files.definitions }),
    };
    const read = async (dataset: Dataset) => {
      const file = files[dataset];
      return file === undefined ? emptySample(dataset) : readSample(dataset, file, options);
    };
    const outcomes = await Promise.allSettled(DATASETS.map(read));
    const problems = outcomes.flatMap((outcome) => {
      if (outcome.status === "fulfilled") return [];
      if (outcome.reason instanceof SampleError) return outcome.reason.problems;
      throw outcome.reason;
    });
    const [user, item, interaction] = outcomes.map((one) => (one.status === "fulfilled" ? one.value : undefined));
    problems.push(
      ...textualProblems(
        textual,
        [user, item, interaction].filter((sample) => sample !== undefined),
      ),
    );
    if (user && item && interaction) problems.push(...unusedRenames(format, [user, item, interaction]));
    if (problems.length > 0 || !user || !item || !interaction) throw new SampleError(problems);
    return { user, item, interaction };
  });
  return {
    samples,
    warnings: [
      ...given.flatMap((dataset) => rejectedRows(samples[dataset], textual)),
      ...DATASETS.flatMap((dataset) => samples[dataset].suspects),
      ...idWarnings(ids, files, rowsOf(samples.interaction)),
      ...(constants?.absent(given) ?? []),
    ],
  };
}

/** Infers the three schemas and the ETL configuration from CSV or JSON files. Throws SampleError. */
export async function generateSchemas(files: SampleFiles & { interaction: string }): Promise<Generated> {
  const { samples, warnings } = await readSamples(files);
  const { user, item, interaction } = samples;
  const textual = [...new Set(files.textualFields)];
  const made = { user: infer(user), item: infer(item, textual), interaction: infer(interaction) };
  const all = DATASETS.map((dataset) => samples[dataset]);
  return {
    schemas: { user: made.user.schema, item: made.item.schema, interaction: made.interaction.schema },
    etl: {
      ...{ user: made.user.etl, item: made.item.etl, interaction: made.interaction.etl },
      ...(files.format && { files: files.format }),
    },
    rows: { user: rowsOf(user), item: rowsOf(item), interaction: rowsOf(interaction) },
    eventTypes: interaction.eventTypes,
    missingWords: [...new Set(all.flatMap((sample) => missingWordsOf(sample, textual)))].toSorted(),
    warnings: [
      ...all.flatMap((sample) => oddValues(sample, textual)),
      ...tooManyTypes(interaction, made.interaction.schema),
      ...warnings,
    ],
  };
}

const rowsOf = ({ rows, rejected }: Sample) => rows + rejected;

/** Returns a problem for each column to rename that no file has. */
function unusedRenames({ renames }: FileFormat, samples: readonly Sample[]): string[] {
  return renames.flatMap(({ dataset, from }) => {
    const those = samples.filter(
      (sample) => (dataset === undefined || sample.dataset === dataset) && sample.file !== "",
    );
    if (those.some(({ renamed }) => renamed.has(from))) return [];
    const close = nearest(
      from,
      those.flatMap(({ columns }) => [...columns.keys()]),
    );
    const advice = close ? `: did you mean "${close}"?` : "";
    return [`--rename: no ${dataset ?? "sample"} file has the column "${from}"${advice}`];
  });
}

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
