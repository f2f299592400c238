import { signal } from "@preact/signals";
import type { ConsoleSetup } from "../server/setup.ts";
import type { Variant } from "./search/variant.ts";

export const VIEWS = ["queries", "search", "judge", "measure", "merchandise", "recommend"] as const;
export type View = (typeof VIEWS)[number];

/** Everything that the page's address holds, so that a link shows the same thing to a colleague. */
export interface Address {
  view: View;
  query: string;
  index: string;
  user: string;
  /** Variants to compare; null for the usual ones of the index. */
  variants: Variant[] | null;
  /** Fields of the keyword subquery; empty for all text fields. */
  fields: string[];
  /** Fields that hits show, the title first; empty for those that this browser knows for the index. */
  show: string;
  /** The document that Search looks for; empty for none. */
  document: string;
  judgments: string;
  /** The judging task that Judge works on; empty for none. */
  task: string;
  run: string;
  /** How the listed queries fail; empty for all of them. */
  failing: string;
  /** Days of the request log that Queries reads. */
  days: string;
  /** Whether Queries lists the searches of every index. */
  everywhere: boolean;
  /** Selected document of Merchandise: rules or synonyms. */
  tab: string;
  /** The rule that is open. */
  rule: string;
  /** The text that a new rule or synonym is for; empty if its author types it. */
  text: string;
  /** Whether the user is a visitor who is not logged in, known by a session. */
  visitor: boolean;
  item: string;
  /** A filter of filter.yaml, and the values of its parameters. */
  filter: string;
  values: Readonly<Record<string, string>>;
}

const EMPTY: Address = {
  ...{ view: "search", query: "", index: "", user: "", variants: null, fields: [], show: "" },
  document: "",
  ...{ failing: "", days: "7", everywhere: false },
  ...{ judgments: "judgments", task: "", run: "", item: "", filter: "", values: {} },
  ...{ tab: "", rule: "", text: "", visitor: false },
};

/** Reads an address such as `#/search?q=letters&index=books`. Wrong parts are ignored. */
export function placeOf(hash: string): Address {
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
    document: text("doc"),
    judgments: text("judgments") || EMPTY.judgments,
    task: text("task"),
    run: text("run"),
    failing: text("failing"),
    days: text("days") || EMPTY.days,
    everywhere: query.has("everywhere"),
    tab: text("tab"),
    rule: text("rule"),
    text: text("text"),
    visitor: query.has("visitor"),
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
    return Array.isArray(parsed) && parsed.every(isVariant) ? parsed : null;
  } catch {
    return null;
  }
}

/** Whether part of an address can be a variant. */
const isVariant = (one: Partial<Record<string, unknown>> | null): boolean =>
  typeof one?.kind === "string" &&
  (one.kind !== "plain" || (typeof one.filter === "string" && typeof one.boosts === "object" && one.boosts !== null));

/** The inverse of {@link placeOf}. */
export function hashOf(address: Address): string {
  const { view, query, document, fields, variants, values, everywhere, visitor, ...texts } = address;
  const parts = new URLSearchParams();
  const all = {
    ...{ q: query, ...texts, doc: document, fields: fields.join() },
    days: texts.days === EMPTY.days ? "" : texts.days,
    judgments: texts.judgments === EMPTY.judgments ? "" : texts.judgments,
    everywhere: everywhere ? "1" : "",
    visitor: visitor ? "1" : "",
    values: new URLSearchParams(values).toString(),
  };
  for (const [name, value] of Object.entries(all)) if (value !== "") parts.set(name, value);
  if (variants !== null) parts.set("v", JSON.stringify(variants));
  const search = parts.toString();
  return `#/${view}${search === "" ? "" : `?${search}`}`;
}

/** Where the page is. */
export const place = signal<Address>(placeOf(location.hash));
/** Null until the server has answered. */
export const setup = signal<ConsoleSetup | null>(null);
/** Text of the aria-live region. */
export const announcement = signal("");

export const announce = (text: string) => {
  announcement.value = text;
};

/** Goes to another place. `replace` keeps the browser's history free of small changes, such as those of a slider. */
export function goTo(change: Partial<Address>, { replace = false } = {}): void {
  const next = { ...place.value, ...change };
  const hash = hashOf(next);
  if (hash === location.hash) return;
  if (replace) history.replaceState(null, "", hash);
  else history.pushState(null, "", hash);
  if (next.view !== place.value.view) scrollTo(0, 0);
  place.value = next;
}

/** Returns what changes in the address with another index: the choices that were made for the one before. */
export const otherIndex = (index: string): Partial<Address> =>
  index === place.value.index ? {} : { index, fields: [], variants: null, show: "", document: "" };

/** Follows links as {@link goTo} does. The browser itself would keep the place to which the earlier view was scrolled. */
addEventListener("click", (event) => {
  const link = (event.target as Element).closest('a[href^="#/"]');
  const isForAnotherTab = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  if (!link || isForAnotherTab) return;
  event.preventDefault();
  goTo(placeOf(link.getAttribute("href") ?? ""));
});
addEventListener("popstate", () => {
  place.value = placeOf(location.hash);
});
addEventListener("hashchange", () => {
  place.value = placeOf(location.hash);
});
