import {
  type FilterRecord,
  type FilterValues,
  itemTest,
  placeholderUses,
  requiredPlaceholders,
} from "../../../personalize/filters/evaluate.ts";
import { everyCondition, type Filter, parseFilter } from "../../../personalize/filters/parser.ts";
import { readFilterValues } from "../../../personalize/filters/values.ts";
import type { ProfileDataset } from "../../../platform/contract/recommendation.ts";
import { isDecimal } from "../../../platform/decimal.ts";
import { forbidden, type KeyRules } from "../../../platform/http/access.ts";
import { ApiError, type Issue } from "../../../platform/http/error.ts";
import { invalidRequest } from "../../../platform/http/validate.ts";
import type { Deadline } from "../../../platform/resilience/deadline.ts";
import type { PlacementFilter } from "../../../settings/placements.ts";
import { fieldsOf, fieldValue } from "../../records/layout.ts";
import type { Profile } from "../../records/profile.ts";
import type { RecommendationServices } from "../../service/services.ts";
import type { FilterSettings, RecommendationSettings } from "../../service/settings.ts";
import type { Test } from "./candidates.ts";

/** The filter that a request names, with the parsed values of its placeholders. */
export interface FilterChoice {
  filter: FilterSettings;
  values: FilterValues;
  /** The values in Personalize's notation. */
  formatted: Readonly<Record<string, string>>;
}

/** The filter fields of a request. */
interface FilterFields {
  filter_name: string;
  filter_value_dict: Readonly<Record<string, string>>;
}

const pathOf = (name: string) => `filter_value_dict.${name}`;

/**
 * Parses the filter fields of a request. Returns undefined if the request has no filter. Throws `filter_not_found`, or
 * `invalid_request` for malformed values. Does not compare the values with the filter's placeholders: see
 * `checkPlaceholders`.
 */
export function chooseFilter(
  { filters }: Pick<RecommendationSettings, "filters">,
  { filter_name, filter_value_dict }: FilterFields,
): FilterChoice | undefined {
  const entries = Object.entries(filter_value_dict);
  if (filter_name === "") {
    if (entries.length === 0) return undefined;
    throw invalidRequest(
      entries.map(([name]) => ({ path: pathOf(name), message: "has a value, but filter_name is empty" })),
    );
  }
  const filter = filters.find(({ name }) => name === filter_name);
  if (!filter) throw filterNotFound(filter_name, filters);
  return { filter, ...readFilterValues(filter_value_dict, "filter_value_dict") };
}

/** Returns a filter of a placement as a request would name it. Throws `filter_not_found`. */
export const filterChoice = (
  settings: Pick<RecommendationSettings, "filters">,
  filter: PlacementFilter | undefined,
): FilterChoice | undefined =>
  filter && chooseFilter(settings, { filter_name: filter.name, filter_value_dict: filter.values });

/**
 * Returns the filter of a caller's token. Throws `filter_not_found`, or `forbidden` for a filter on past events, which
 * only Personalize knows, so that lists without a campaign would not be filtered.
 */
export function tokenFilter(settings: Pick<RecommendationSettings, "filters">, caller: KeyRules) {
  const { recommend } = caller.token ?? {};
  const choice = recommend && chooseFilter(settings, recommend);
  if (!choice) return undefined;
  checkPlaceholders(choice);
  if (readsEvents(choice)) throw forbidden(caller, "token", "the filter of its token has conditions on past events");
  return choice;
}

/** Returns the error for a filter that is not configured or not yet created. */
export function filterNotFound(name: string, filters: readonly Pick<FilterSettings, "name">[]): ApiError {
  const known = filters.map((filter) => filter.name).join(", ") || "none";
  return new ApiError(
    "filter_not_found",
    `There is no filter ${JSON.stringify(name.slice(0, 100))}; there are: ${known}.`,
    { issues: [{ path: "filter_name", message: "is not the name of a filter" }] },
  );
}

/** Throws `invalid_request` with every placeholder that lacks a value, is unknown, or must be a number and is not. */
export function checkPlaceholders({ filter, values }: FilterChoice): void {
  const parsed = parseFilter(filter.expression);
  const uses = [...placeholderUses(parsed)];
  const known = new Set(uses.map(({ name }) => name));
  const single = new Set(uses.flatMap(({ name, isNumber }) => (isNumber ? [name] : [])));
  const issues: Issue[] = [];
  for (const name of requiredPlaceholders(parsed)) {
    if (!Object.hasOwn(values, name)) {
      issues.push({ path: pathOf(name), message: `is missing: the filter ${filter.name} needs a value for $${name}` });
    }
  }
  for (const [name, given] of Object.entries(values)) {
    if (!known.has(name)) {
      const names = known.size > 0 ? `it has ${[...known].join(", ")}` : "it has none";
      issues.push({ path: pathOf(name), message: `is not a placeholder of the filter ${filter.name}; ${names}` });
    } else if (single.has(name) && (given.length !== 1 || !isDecimal(given[0] ?? ""))) {
      issues.push({
        path: pathOf(name),
        message: `must be one decimal number, got ${JSON.stringify(given.join(","))}`,
      });
    }
  }
  if (issues.length > 0) throw invalidRequest(issues);
}

type FilterServices = Pick<RecommendationServices, "settings" | "records">;

/**
 * Turns a filter into a test of item records, for items that no campaign filters. The API does not store the user's past
 * events, so it evaluates conditions on them as for a user without any. Throws `upstream_unavailable` if the user record that
 * the filter needs cannot be read.
 */
export async function ownFilter(
  services: FilterServices,
  choice: FilterChoice,
  about: { userId?: string; item?: Profile | undefined },
  deadline: Deadline,
): Promise<{ passes: Test }> {
  checkPlaceholders(choice);
  const filter = parseFilter(choice.filter.expression);
  const currentUser = about.userId === undefined ? undefined : await user(services, filter, about.userId, deadline);
  const toItem = filterRecord(services, "item");
  const toUser = filterRecord(services, "user");
  const test = itemTest(filter, {
    values: choice.values,
    interactions: [],
    currentUser: currentUser && toUser(currentUser),
    currentItem: about.item && toItem(about.item),
  });
  return { passes: (id, record) => test(id, toItem(record)) };
}

async function user(
  { records }: FilterServices,
  filter: Filter,
  id: string,
  deadline: Deadline,
): Promise<Profile | undefined> {
  if (!reads(filter, "CurrentUser")) return undefined;
  const { records: found, unread, failure } = await records.read("user", [id], deadline);
  if (!unread.has(id)) return found.get(id);
  throw new ApiError("upstream_unavailable", `The filter cannot be applied: ${failure?.reason}.`, {
    cause: failure?.cause,
  });
}

/** Throws `invalid_request` if the filter reads a user's data and the request names no user: it would have no effect. */
export function requireUser(choice: FilterChoice | undefined, userId: string | undefined): void {
  if (!choice || userId !== undefined) return;
  const filter = parseFilter(choice.filter.expression);
  const needs = (["Interactions", "CurrentUser"] as const).filter((dataset) => reads(filter, dataset));
  if (needs.length === 0) return;
  const what = needs.map((dataset) => (dataset === "Interactions" ? "past events" : dataset)).join(" and ");
  const message = `is missing: the filter ${choice.filter.name} reads ${what} of a user`;
  throw invalidRequest([{ path: "user_id", message }]);
}

/** Returns whether a filter has conditions on past events. */
export const readsEvents = ({ filter }: FilterChoice): boolean => reads(parseFilter(filter.expression), "Interactions");

function reads(filter: Filter, dataset: "Interactions" | "CurrentUser"): boolean {
  return [...everyCondition(filter)].some(({ condition }) => condition.field.dataset === dataset);
}

/** Returns a function that maps a stored record to the schema's fields, which filters use. */
function filterRecord(
  { settings: { definitions } }: FilterServices,
  dataset: ProfileDataset,
): (record: Profile) => FilterRecord {
  const fields = fieldsOf(definitions.schemas[dataset], definitions.etl[dataset]);
  return (record) => Object.fromEntries(fields.map((field) => [field.name, fieldValue(field, record)]));
}
