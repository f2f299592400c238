import { placeholders, requiredPlaceholders } from "../../personalize/filters/evaluate.ts";
import { everyCondition, type Filter, validFilter } from "../../personalize/filters/parser.ts";
import { joinWords } from "../kinds.ts";
import type { Placement, PlacementFilter } from "../placements.ts";
import type { Path } from "../problem.ts";
import type { Draft } from "../validate.ts";
import { type Check, type Drafts, noneTwice, type Report, sound } from "./drafts.ts";

const file = "recommendation";

/** Names that placements refer to. Each is undefined if its file is invalid, so that no placement is blamed for it. */
interface Known {
  recipes: object | undefined;
  /** Undefined for a filter whose expression is invalid. */
  filters: ReadonlyMap<string, Filter | undefined> | undefined;
  columns: readonly string[] | undefined;
  itemFields: readonly string[] | undefined;
}

/** Checks that placements and what they contain have names of their own, and that what they refer to exists. */
export const checkPlacements: Check = (drafts, report) => {
  const placements = drafts.recommendation?.placements;
  noneTwice(report, file, ["placements"], placements, "name", (first) => `: see placements[${first}]`);
  const known = knownTo(drafts);
  for (const [index, placement] of sound(placements)) {
    const path = ["placements", index];
    checkSettings(placement, placement, path, known, report);
    const variants = placement.experiment?.variants;
    const at = [...path, "experiment", "variants"];
    noneTwice(report, file, at, variants, "name", (first) => `: see variants[${first}]`);
    const shares = sound(variants).reduce((sum, [, { share = 0 }]) => sum + share, 0);
    if (shares > 1 + 1e-9) report(file, at, `have shares that sum to ${Number(shares.toPrecision(6))}, more than 1`);
    for (const [place, { settings = {} }] of sound(variants)) {
      checkSettings(settings, { ...placement, ...settings }, [...at, place, "settings"], known, report);
    }
  }
};

/** Checks that rights about recommendations belong to keys that may recommend, and that the placements of keys exist. */
export const checkPlacementKeys: Check = ({ api, recommendation }, report) => {
  const names = recommendation && sound(recommendation.placements).map(([, { name }]) => name);
  for (const [index, key] of sound(api?.keys)) {
    for (const right of ["placements", "user_history"] as const) {
      if (key[right] === undefined || key.endpoints === undefined || key.endpoints.includes("recommend")) continue;
      report("api", ["keys", index, right], "has no effect: the key lacks the endpoint recommend");
    }
    if (key.placements === undefined) continue;
    const path = ["keys", index, "placements"];
    noneTwice(report, "api", path, key.placements);
    for (const [at, name] of sound(key.placements)) {
      if (!names?.includes(name)) report("api", [...path, at], `"${name}" is not in placements of recommendation.yaml`);
    }
  }
};

type Settings = Draft<Partial<Placement>>;

/** Checks the settings that are written at a path. `whole` has those of the placement, too, that a variant keeps. */
function checkSettings(own: Settings, whole: Settings, path: Path, known: Known, report: Report): void {
  const column = (name: string | undefined, at: Path) => {
    if (name === undefined || known.columns === undefined || known.columns.includes(name)) return;
    report(file, [...path, ...at], `"${name}" is not a column of the items: ${joinWords(known.columns, "and")} are`);
  };
  const isBuiltIn = whole.engine === "built_in";
  if (own.recipe !== undefined && !isBuiltIn && known.recipes && !Object.hasOwn(known.recipes, own.recipe)) {
    const message = `"${own.recipe}" is not in recipes of solution.yaml: add it there, or set engine: built_in`;
    report(file, [...path, "recipe"], message);
  }
  if (isBuiltIn && whole.recipe === undefined) {
    report(
      file,
      [...path, own.engine === undefined ? "recipe" : "engine"],
      "needs a recipe: user_personalization or similar_items",
    );
  }
  const filter = checkFilter(own.filter, [...path, "filter"], known, report) ?? filterOf(whole.filter, known);
  if (isBuiltIn && filter && readsEvents(filter) && (own.filter !== undefined || own.engine !== undefined)) {
    const message = `"${whole.filter?.name}" reads past events, which only Personalize can: name another filter`;
    report(file, [...path, own.filter === undefined ? "engine" : "filter"], message);
  }
  noneTwice(report, file, [...path, "promotions"], own.promotions, "name", (first) => `: see promotions[${first}]`);
  const percent = sound(own.promotions).reduce((sum, [, promotion]) => sum + (promotion.percent ?? 0), 0);
  if (percent > 100) report(file, [...path, "promotions"], `have shares that sum to ${percent} percent, more than 100`);
  for (const [at, promotion] of sound(own.promotions)) {
    const promoted = checkFilter(promotion.filter, [...path, "promotions", at, "filter"], known, report);
    if (!promoted || !filter || !readsEvents(filter) || readsEvents(promoted)) continue;
    const message = `reads no past events, as "${whole.filter?.name}" of the placement does, and Personalize applies one filter to an item: name a filter with both conditions`;
    report(file, [...path, "promotions", at, "filter"], message);
  }
  column(own.exclude?.out_of_stock?.column, ["exclude", "out_of_stock", "column"]);
  column(own.diversity?.category?.column, ["diversity", "category", "column"]);
  column(own.diversity?.marginal_relevance?.column, ["diversity", "marginal_relevance", "column"]);
  for (const [at, list] of sound(own.fallback)) {
    if (list.list === "category_popular") column(list.column, ["fallback", at, "column"]);
    if (list.list === "newest" && known.itemFields && !known.itemFields.includes("CREATION_TIMESTAMP")) {
      report(file, [...path, "fallback", at], "needs the field CREATION_TIMESTAMP in the schema of the items");
    }
    if (list.list === "items") noneTwice(report, file, [...path, "fallback", at, "item_ids"], list.item_ids);
  }
  for (const [at, name] of sound(own.fields)) column(name, ["fields", at]);
  noneTwice(report, file, [...path, "fields"], own.fields);
  if (whole.recipe === undefined && whole.fallback?.length === 0) {
    report(file, [...path, "fallback"], "is empty, and there is no recipe: the list would always be empty");
  }
}

/** Checks a filter's name and values. Returns the filter if its expression is valid. */
function checkFilter(
  filter: Draft<PlacementFilter> | undefined,
  path: Path,
  known: Known,
  report: Report,
): Filter | undefined {
  const { name, values = {} } = filter ?? {};
  if (name === undefined || !known.filters) return undefined;
  if (!known.filters.has(name)) {
    report(file, [...path, "name"], `"${name}" is not in filters of filter.yaml`);
    return undefined;
  }
  const parsed = known.filters.get(name);
  if (!parsed) return undefined;
  const names = placeholders(parsed);
  for (const given of Object.keys(values)) {
    if (names.includes(given)) continue;
    const message = `is not a placeholder of "${name}": ${names.length > 0 ? `it has ${joinWords(names, "and")}` : "it has none"}`;
    report(file, [...path, "values", given], message);
  }
  for (const needed of requiredPlaceholders(parsed)) {
    if (!Object.hasOwn(values, needed)) report(file, [...path, "values", needed], `is missing: "${name}" needs it`);
  }
  return parsed;
}

const filterOf = (filter: Draft<PlacementFilter> | undefined, { filters }: Known) =>
  filter?.name === undefined ? undefined : filters?.get(filter.name);

const readsEvents = (filter: Filter) =>
  [...everyCondition(filter)].some(({ condition }) => condition.field.dataset === "Interactions");

function knownTo({ solution, filter, etl, item }: Drafts): Known {
  const named = filter?.filters && sound(filter.filters);
  return {
    recipes: solution?.recipes,
    filters: named && new Map(named.map(([, { name = "", expression }]) => [name, validFilter(expression ?? "")])),
    columns: etl?.item?.columns && sound(etl.item.columns).flatMap(([, { name }]) => name ?? []),
    itemFields: item?.fields && sound(item.fields).flatMap(([, { name }]) => name ?? []),
  };
}
