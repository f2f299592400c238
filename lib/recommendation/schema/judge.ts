import type { Dataset } from "../../platform/contract/recommendation.ts";
import type { Issue } from "../../platform/http/error.ts";
import { eventParser } from "../records/event.ts";
import type { Definitions } from "../records/layout.ts";
import { profileParser } from "../records/profile.ts";
import { Column } from "./column.ts";
import { infer } from "./infer.ts";

/** Returns the problems for which the service would reject a record. Empty if it would accept it. */
type Judge = (record: object) => readonly Issue[];

/** The service adds these columns to an event that lacks them, so no row is rejected for them. */
const DEFAULTS = { now: () => Math.floor(Date.now() / 1_000), id: () => "row" };

/** Returns a function that checks records with the API's own parsers. */
export function judgeOf(dataset: Dataset, definitions: Definitions): Judge {
  const parse = dataset === "interaction" ? eventParser(definitions, DEFAULTS) : profileParser(dataset, definitions);
  return (record) => {
    const parsed = parse(record);
    return "issues" in parsed ? parsed.issues : [];
  };
}

/** Returns definitions that accept whatever any schema with these columns accepts: all of them are text or may be null. */
export function widestDefinitions(dataset: Dataset, names: Iterable<string>, textual: readonly string[]): Definitions {
  const wide = (one: Dataset) => {
    const columns = new Map(one === dataset ? [...names].map((name) => [name, new Column(name)]) : []);
    return infer({ dataset: one, columns, rows: 1 }, one === "item" ? textual.filter((name) => columns.has(name)) : []);
  };
  const { user, item, interaction } = { user: wide("user"), item: wide("item"), interaction: wide("interaction") };
  return {
    schemas: { user: user.schema, item: item.schema, interaction: interaction.schema },
    etl: { user: user.etl, item: item.etl, interaction: interaction.etl },
  };
}
