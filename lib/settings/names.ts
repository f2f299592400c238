import * as v from "valibot";
import { MAX_INDEX_BYTES } from "../platform/contract/search.ts";
import { text } from "./kinds.ts";

/** The form of the names that a configuration gives: of templates, rules, placements, experiments and variants. */
export const NAME = /^[a-z][a-z0-9_-]{0,62}$/;

/** A name that the configuration gives or refers to. */
export const Name = (description: string) => text(NAME, "a name of lower-case letters, digits, _ and -", description);

/** The name of a parameter of a template. */
export const ParameterName = (description: string) =>
  text(/^[A-Za-z_][\w-]{0,62}$/, "a name of letters, digits, _ and -", description);

/**
 * The name of a field as the cluster takes it: dotted parts that are not blank, and none of its own fields. Without `*`
 * and comma: in a list of requested fields, they make a pattern or a list of a name.
 */
const FIELD =
  /^(?!_(id|index|source|routing|nested_path|field_names|ignored|seq_no|primary_term|version|data_stream_timestamp)$)\s*[^\s.*,][^.*,]*(\.\s*[^\s.*,][^.*,]*)*$/;

/** A field whose values are requested from the cluster. */
export const Field = (description: string) =>
  v.pipe(
    text(FIELD, "the name of a field, or a dotted path, whose parts are not blank and have no * or comma", description),
    v.maxLength(255, "must have at most 255 characters"),
  );

/** A field of documents that the gateway itself reads, which may have `*` and commas in its name. */
export const SourceField = (description: string) =>
  text(
    new RegExp(FIELD.source.replaceAll(".*,]", ".]")),
    "the name of a field, or a dotted path, whose parts are not blank",
    description,
  );

/** The column of a file, or the field of a schema of Personalize. */
export const COLUMN_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,149}$/;

/** A name of the form of {@link COLUMN_NAME}. */
export const ColumnName = (
  description: string,
  allowed = "letters, digits and underscores, not starting with a digit",
) => text(COLUMN_NAME, allowed, description);

/** Names that the cluster takes, or the beginning of such names followed by `*`. `start` excludes others. */
const indexPattern = (start: string, allowed: string, description: string) =>
  v.pipe(
    text(new RegExp(`^(?![-_+.])${start}[^\\s\\\\/*?"<>|,#:\\p{Cc}]+\\*?$`, "u"), allowed, description),
    v.check((name) => Buffer.byteLength(name) <= MAX_INDEX_BYTES),
  );

/** An index name, or the beginning of index names followed by `*`. */
export const IndexPattern = (description: string) =>
  indexPattern(
    "(?!.*[A-Z])",
    `an index name in lower case of at most ${MAX_INDEX_BYTES} bytes, which may end in *`,
    description,
  );

/** The same for aliases, too, which may have capitals. Without `%`, which starts an escape in a path. */
export const AliasPattern = (description: string) =>
  indexPattern("(?!.*%)", "the name of an index, or its beginning followed by *", description);

/** Start of the id of an inference profile of Bedrock: the regions that it may send a call to. */
export const PROFILE = /^(us|us-gov|eu|apac|jp|au|global)\./;

/**
 * Returns a pattern that accepts Bedrock ids of models that match `model`, their inference profiles, and the words in
 * `others`.
 */
export const bedrockIds = (model: RegExp, ...others: string[]): RegExp =>
  new RegExp(`^(${[...others, `(${PROFILE.source.slice(1)})?${model.source}`].join("|")})`);

/** A language, or a language and a region. */
export const Locale = (description: string) =>
  text(/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}$/, "a language tag, such as en or de-AT", description);
