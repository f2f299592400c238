import { signal } from "@preact/signals";
import type { ConsoleSetup } from "../server/setup.ts";
import type { Variant } from "./search/variants.ts";

export const VIEWS = ["search", "judge", "measure", "recommend"] as const;
export type View = (typeof VIEWS)[number];

/** Everything that the page's address holds, so that a link shows the same thing to a colleague. */
export interface Place {
  view: View;
  query: string;
  index: string;
  user: string;
  /** Variants to compare; null for the usual ones of the index. */
  variants: Variant[] | null;
  /** Fields of the keyword leg; empty for all text fields. */
  fields: string[];
  /** Fields that hits show, the title first; empty for those that this browser knows for the index. */
  show: string;
  judgments: string;
  run: string;
  item: string;
  /** A filter of filter.yaml, and the values of its parameters. */
  filter: string;
  values: Readonly<Record<string, string>>;
}

const EMPTY: Place = {
  ...{ view: "search", query: "", index: "", user: "", variants: null, fields: [], show: "" },
  ...{ judgments: "judgments", run: "", item: "", filter: "", values: {} },
};

/** Reads an address such as `#/search?q=letters&index=books`. Wrong parts are ignored. */
export function placeOf(hash: string): Place {
  const [path = "", search = ""] = hash.replace(/^#\/?/, "").split("?");
  const query = new URLSearchParams(search);
  const text = (name: string) => query.get(name) ?? "";
  return {
    view: VIEWS.find((view) => view === path) ?? "search",
    query: text("q"),
    index: text("index"),
    user: text("user"),
    variants: variantsIn(text("v")),
    fields: text("fields").split(",").filter(Boolean),
    show: text("show"),
    judgments: text("judgments") || EMPTY.judgments,
    run: text("run"),
    item: text("item"),
    filter: text("filter"),
    values: valuesIn(text("values")),
  };
}

function valuesIn(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

function variantsIn(text: string): Variant[] | null {
  try {
    const parsed = JSON.parse(text);
    return Array.isArray(parsed) && parsed.every((one) => typeof one?.kind === "string") ? parsed : null;
  } catch {
    return null;
  }
}

/** The inverse of {@link placeOf}. */
export function hashOf({
  view,
  query,
  index,
  user,
  variants,
  fields,
  show,
  judgments,
  run,
  item,
  filter,
  values,
}: Place): string {
  const parts = new URLSearchParams();
  const all = {
    q: query,
    index,
    user,
    fields: fields.join(),
    show,
    run,
    item,
    filter,
    values: new URLSearchParams(values).toString(),
  };
  for (const [name, value] of Object.entries(all)) if (value !== "") parts.set(name, value);
  if (variants !== null) parts.set("v", JSON.stringify(variants));
  if (judgments !== EMPTY.judgments) parts.set("judgments", judgments);
  const search = parts.toString();
  return `#/${view}${search === "" ? "" : `?${search}`}`;
}

/** Where the page is. */
export const place = signal<Place>(placeOf(location.hash));
/** Null until the server has answered. */
export const setup = signal<ConsoleSetup | null>(null);
/** What a screen reader says next. */
export const announcement = signal("");

export const announce = (text: string) => {
  announcement.value = text;
};

/** Goes to another place. `replace` keeps the browser's history free of small changes, such as those of a slider. */
export function goTo(change: Partial<Place>, { replace = false } = {}): void {
  const next = { ...place.value, ...change };
  const hash = hashOf(next);
  if (hash === location.hash) return;
  if (replace) history.replaceState(null, "", hash);
  else history.pushState(null, "", hash);
  place.value = next;
}

addEventListener("popstate", () => {
  place.value = placeOf(location.hash);
});
addEventListener("hashchange", () => {
  place.value = placeOf(location.hash);
});
