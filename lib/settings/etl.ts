import * as v from "valibot";
import { COLUMN_TYPES, DATASETS } from "../platform/contract/recommendation.ts";
import { flag, list, section, text, word } from "./kinds.ts";
import { ColumnName } from "./names.ts";

const Column = section(
  {
    name: ColumnName("Name in the header of the file and in requests."),
    type: word(COLUMN_TYPES, "Type of its values."),
    nullable: v.optional(flag("Whether a record may come without it."), false),
    multiple: v.optional(flag("Whether it holds several values, joined by a vertical bar."), false),
  },
  "One source column.",
);

const Join = section(
  {
    field: ColumnName("Field of the schema."),
    columns: list(ColumnName("A source column."), "Columns whose values are joined, in this order.", {
      min: 1,
      max: 50,
    }),
    separator: v.optional(
      v.pipe(
        v.string(),
        v.maxLength(10),
        v.metadata({ allowed: "text of at most 10 characters", description: "Text between them." }),
      ),
      " ",
    ),
  },
  "One field made of several columns.",
);

const Rename = section(
  { column: ColumnName("A source column."), field: ColumnName("Field of the schema.") },
  "One column that has another name in the schema.",
);

const DatasetEtl = (dataset: string) =>
  section(
    {
      columns: list(Column, "Source columns, in the order of the file.", { min: 1, max: 110 }),
      joins: v.optional(list(Join, "Fields made of several columns. Those columns are no fields of their own."), []),
      renames: v.optional(list(Rename, "Columns that have another name in the schema."), []),
    },
    `The ${dataset} dataset.`,
  );

const FileRename = section(
  {
    dataset: v.optional(word(DATASETS, "The file that has the column. Default: every file that has it.")),
    from: text(
      /^\P{Cc}{1,150}$/u,
      "text of 1 to 150 characters",
      "Column of the file, or its number if the file has no header.",
    ),
    to: v.optional(ColumnName("Column of the records. Default: the column is left out.")),
  },
  "One column that has another name in the file.",
);

const FileFormat = section(
  {
    separator: v.optional(
      text(/^.{1,10}$/u, "text of 1 to 10 characters", "Text between the values of files without quotes."),
    ),
    no_value: v.optional(list(text(/^.+$/u, "text", "A word."), "Words that mean that there is no value."), []),
    renames: v.optional(list(FileRename, "Columns that have another name in the files."), []),
    event_type: v.optional(
      text(/^\P{Cc}{1,256}$/u, "text of 1 to 256 characters", "EVENT_TYPE of events without one."),
    ),
    timestamp_format: v.optional(
      text(
        /^.{1,100}$/u,
        "text of 1 to 100 characters",
        "Form of TIMESTAMP: `iso`, `x` for milliseconds, or tokens such as `yyyy-MM-dd HH:mm:ss`, in UTC.",
      ),
    ),
  },
  "How sample files are read. Written from the options of `relevance schema-generation`, for `validate` and `upload-sample`.",
);

/** How sample files are read. */
export type FileFormat = v.InferOutput<typeof FileFormat>;

/** The format of files that need no options. */
export const PLAIN_FILES: FileFormat = { no_value: [], renames: [] };

/** conf/etl/configure.json: how source columns become the fields of the three schemas. */
export const EtlSchema = section(
  {
    user: DatasetEtl("users"),
    item: DatasetEtl("items"),
    interaction: DatasetEtl("interactions"),
    files: v.optional(FileFormat),
  },
  "How source columns become the schemas' fields. Written by `relevance schema-generation`.",
);

/** conf/etl/configure.json with its defaults. */
export type EtlConfiguration = v.InferOutput<typeof EtlSchema>;

/** The part of one dataset. */
export type EtlDataset = EtlConfiguration["user"];

/** Fields that a schema may have without a source column, since the service fills them. */
export const IMPLIED_FIELDS = {
  user: ["IS_ACTIVE"],
  item: ["IS_ACTIVE"],
  interaction: ["EVENT_VALUE", "IMPRESSION"],
} as const;

/** Returns a dataset's schema fields, each with its source columns, in the order of the columns. */
export function sourcesOfFields(etl: EtlDataset): Map<string, string[]> {
  const joined = new Map(etl.joins.flatMap((join) => join.columns.map((column) => [column, join.field] as const)));
  const renamed = new Map(etl.renames.map(({ column, field }) => [column, field]));
  const sources = new Map<string, string[]>();
  for (const { name } of etl.columns) {
    const field = joined.get(name) ?? renamed.get(name) ?? name;
    sources.set(field, [...(sources.get(field) ?? []), name]);
  }
  return sources;
}
