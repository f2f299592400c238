import { DATASETS, type Dataset } from "../../platform/contract/recommendation.ts";
import { type AvroField, type AvroType, typesOf } from "../avro.ts";
import { type EtlDataset, IMPLIED_FIELDS, sourcesOfFields } from "../etl.ts";
import { didYouMean } from "../nearest.ts";
import type { Path } from "../problem.ts";
import type { Draft } from "../validate.ts";
import { type Check, noneTwice, type Report, sound } from "./drafts.ts";

/** Checks that the ETL configuration and the schemas describe the same fields. */
export const checkEtl: Check = (drafts, report) => {
  for (const dataset of DATASETS) {
    const etl = drafts.etl?.[dataset];
    if (!isWhole(etl)) continue;
    const before = checkColumns(dataset, etl, report);
    const fields = drafts[dataset]?.fields;
    if (!before || !fields) continue;
    checkFields(dataset, etl, fields, report);
  }
};

/**
 * Checks that column names are unique and that joins and renames use existing columns, each once. Returns whether they
 * do.
 */
function checkColumns(dataset: Dataset, etl: EtlDataset, report: Report): boolean {
  let fine = true;
  const problem = (path: Path, message: string) => {
    fine = false;
    report("etl", [dataset, ...path], message);
  };
  noneTwice((_, path, message) => problem(path, message), "etl", ["columns"], etl.columns, "name");
  const names = etl.columns.map(({ name }) => name);
  const uses = [
    ...etl.joins.flatMap(({ columns }, join) =>
      columns.map((column, place) => ({ column, path: ["joins", join, "columns", place] })),
    ),
    ...etl.renames.map(({ column }, index) => ({ column, path: ["renames", index, "column"] })),
  ];
  const used = new Set<string>();
  for (const { column, path } of uses) {
    if (used.has(column)) problem(path, `"${column}" is used twice`);
    used.add(column);
    if (names.includes(column)) continue;
    problem(path, `"${column}" is not one of the columns${didYouMean(column, names)}`);
  }
  return fine;
}

function checkFields(
  dataset: Dataset,
  etl: EtlDataset,
  fields: readonly (Draft<AvroField> | undefined)[],
  report: Report,
): void {
  const sources = sourcesOfFields(etl);
  const schema = new Map(
    sound(fields).flatMap(([index, field]) => (field.name ? [[field.name, { index, field }]] : [])),
  );
  for (const [index, { name }] of sound(fields)) {
    const implied: readonly string[] = IMPLIED_FIELDS[dataset];
    if (name === undefined || sources.has(name) || implied.includes(name)) continue;
    report(dataset, ["fields", index, "name"], `"${name}" has no source column in the ETL configuration`);
  }
  for (const [index, column] of etl.columns.entries()) {
    const [name, columns] = [...sources].find(([, from]) => from.includes(column.name)) ?? ["", []];
    const problem = (key: string, message: string) => report("etl", [dataset, "columns", index, key], message);
    const target = schema.get(name);
    if (target === undefined) {
      const advice = didYouMean(name, schema.keys());
      problem("name", `becomes the field "${name}", which is not in the ${dataset} schema${advice}`);
      continue;
    }
    if (target.field.type === undefined) continue;
    const types = typesOf({ type: target.field.type as AvroField["type"] });
    const type = columns.length > 1 ? "string" : column.type;
    if (!types.some((one) => accepts(one, type))) {
      const wanted = types.join(" or ");
      problem("type", `${type} does not fit the field "${name}" of the ${dataset} schema, which is ${wanted}`);
    }
    if (column.nullable && columns.length === 1 && !types.includes("null")) {
      problem("nullable", `is true, but the field "${name}" of the ${dataset} schema does not take null`);
    }
  }
}

function accepts(field: AvroType, column: string): boolean {
  if (field === column) return true;
  return (field === "double" && column === "float") || (field === "long" && column === "int");
}

/** Returns whether a dataset's part is free of errors. Otherwise comparing it makes no sense. */
function isWhole(etl: Draft<EtlDataset> | undefined): etl is EtlDataset {
  if (!etl?.columns || !etl.joins || !etl.renames) return false;
  const whole = (entries: readonly unknown[]) => entries.every((entry) => entry !== undefined);
  return (
    whole(etl.columns.map((column) => column?.name && column.type)) &&
    whole(etl.joins.flatMap((join) => (join?.field ? [...(join.columns ?? [undefined])] : [undefined]))) &&
    whole(etl.renames.map((rename) => rename?.column && rename.field))
  );
}
