import { Relevance } from "../../clients/typescript/src/index.ts";
import type { Facet, PageSettings } from "./settings.ts";

declare const SETTINGS: PageSettings;

const { url, key, index, facets, ...shown } = SETTINGS;
const gateway = new Relevance({ url, key, retries: 1 });

const SIZE = 12;

const at = <Kind extends HTMLElement>(selector: string) => document.querySelector(selector) as Kind;
const input = at<HTMLInputElement>("#text");
const form = at<HTMLFormElement>("form");

/** Chosen values by the parameter of their facet. */
const chosen = new Map<string, Set<string>>();
/** Chosen bounds by parameter: `price_min`, `price_max`. */
const bounds = new Map<string, number>();

interface Hit {
  _id: string;
  _source: Record<string, unknown>;
  highlight?: Record<string, string[]>;
}

interface Answer {
  hits: { total: { value: number; relation: string }; hits: Hit[] };
  aggregations?: Record<string, { buckets?: Bucket[]; min?: number | null; max?: number | null }>;
}

interface Bucket {
  key: string | number;
  key_as_string?: string;
  doc_count: number;
}

at("#name").textContent = index;
document.title = `Search ${index}`;

let latest = 0;

/** Searches, and shows the hits from a place on: 0 replaces what is shown. */
async function search(from = 0): Promise<void> {
  const turn = ++latest;
  try {
    const { answer, note } = await ask(from);
    // A later search has been sent.
    if (turn !== latest) return;
    at("#problem").textContent = "";
    show(answer, from, note);
  } catch (error) {
    if (turn === latest) at("#problem").textContent = (error as Error).message;
  }
}

async function ask(from: number): Promise<{ answer: Answer; note: string }> {
  const text = input.value.trim();
  const params = { from, size: SIZE, ...parameters() };
  const byMeaning = text !== "" && new FormData(form).get("by") === "both";
  if (byMeaning) {
    const { search_response, degraded } = await gateway.hybridSearch({
      index,
      template: shown.meaning,
      search_query: text,
      params,
    });
    return { answer: search_response as unknown as Answer, note: degraded ? " (some of the search failed)" : "" };
  }
  const query = text === "" ? {} : { query: text };
  const { search_response } = await gateway.search({ index, template: shown.words, params: { ...query, ...params } });
  return { answer: search_response as unknown as Answer, note: "" };
}

function parameters(): Record<string, unknown> {
  const values = [...chosen]
    .filter(([, set]) => set.size > 0)
    .map(([name, set]) => [name, [...set].map(parameterValue)]);
  return Object.fromEntries([...values, ...bounds]);
}

/** Returns a value of a facet as its parameter takes it. */
const parameterValue = (text: string) => (text === "true" || text === "false" ? text === "true" : text);

function show({ hits: { total, hits }, aggregations = {} }: Answer, from: number, note: string): void {
  const count = total.value.toLocaleString("en");
  at("#count").textContent =
    `${total.relation === "gte" ? "more than " : ""}${count} ${total.value === 1 ? "document" : "documents"}${note}`;
  const list = at("#hits");
  if (from === 0) list.replaceChildren();
  list.append(...hits.map(hitElement));
  at("#more").hidden = hits.length < SIZE;
  if (from > 0) return;
  // The filter that was just used keeps the focus.
  const focused = document.activeElement?.id ?? "";
  at("#facets").replaceChildren(...facets.flatMap((facet) => facetElement(facet, aggregations[facet.parameter]) ?? []));
  document.getElementById(focused)?.focus();
}

/** Returns the first value at a dotted path, also in lists. */
function valueAt(source: unknown, path = ""): string {
  const found = path.split(".").reduce<unknown>((inside, name) => {
    const one = Array.isArray(inside) ? inside[0] : inside;
    return (one as Record<string, unknown> | undefined)?.[name];
  }, source);
  return found === undefined || found === null ? "" : String(Array.isArray(found) ? found[0] : found);
}

function hitElement({ _id, _source, highlight }: Hit): HTMLElement {
  const element = document.createElement("li");
  const picture = valueAt(_source, shown.image);
  element.className = picture === "" ? "plain" : "";
  if (picture !== "") {
    const image = new Image();
    image.src = picture;
    image.alt = "";
    image.loading = "lazy";
    element.append(image);
  }
  const body = document.createElement("div");
  const title = document.createElement("strong");
  title.append(...marked(highlight?.[shown.title]?.[0] ?? (valueAt(_source, shown.title) || _id)));
  const address = valueAt(_source, shown.link);
  body.append(/^https?:/.test(address) ? linkTo(address, title) : title);
  const text = document.createElement("p");
  const whole = valueAt(_source, shown.text);
  text.textContent = whole.length > 240 ? `${whole.slice(0, 240)}…` : whole;
  body.append(text);
  element.append(body);
  const price = document.createElement("span");
  price.textContent = valueAt(_source, shown.price);
  element.append(price);
  return element;
}

function linkTo(address: string, content: HTMLElement): HTMLElement {
  const link = document.createElement("a");
  link.href = address;
  link.rel = "noreferrer";
  link.append(content);
  return link;
}

/** Returns a highlighted text, whose marks are `<em>`, as nodes. */
function marked(text: string): Node[] {
  return text.split(/(<em>.*?<\/em>)/).map((part) => {
    if (!part.startsWith("<em>")) return document.createTextNode(part);
    const mark = document.createElement("mark");
    mark.textContent = part.slice(4, -5);
    return mark;
  });
}

function facetElement(
  facet: Facet,
  found: NonNullable<Answer["aggregations"]>[string] | undefined,
): HTMLElement | undefined {
  const group = document.createElement("div");
  const heading = document.createElement("h2");
  heading.textContent = facet.label;
  group.append(heading);
  if (facet.kind === "range") {
    if (typeof found?.min !== "number" || typeof found.max !== "number") return undefined;
    group.append(bound(facet, "min", found.min), " – ", bound(facet, "max", found.max));
    return group;
  }
  const values = chosen.get(facet.parameter) ?? new Set();
  const buckets = found?.buckets ?? [];
  if (buckets.length === 0 && values.size === 0) return undefined;
  group.append(...buckets.slice(0, 10).map((bucket) => valueElement(facet, bucket, values)));
  return group;
}

function valueElement(
  { parameter }: Facet,
  { key: name, key_as_string, doc_count }: Bucket,
  values: Set<string>,
): HTMLElement {
  const value = key_as_string ?? String(name);
  const label = document.createElement("label");
  const box = document.createElement("input");
  box.type = "checkbox";
  box.checked = values.has(value);
  box.id = `${parameter} ${value}`;
  box.addEventListener("change", () => {
    if (box.checked) values.add(value);
    else values.delete(value);
    chosen.set(parameter, values);
    search();
  });
  const [text, count] = [document.createElement("span"), document.createElement("span")];
  text.textContent = value;
  count.textContent = doc_count.toLocaleString("en");
  label.append(box, text, count);
  return label;
}

function bound({ label, parameter }: Facet, end: "min" | "max", limit: number): HTMLElement {
  const field = document.createElement("input");
  field.type = "number";
  field.step = "any";
  field.placeholder = String(limit);
  field.ariaLabel = `${label}, ${end === "min" ? "from" : "to"}`;
  const name = `${parameter}_${end}`;
  field.id = name;
  field.value = String(bounds.get(name) ?? "");
  field.addEventListener("change", () => {
    if (field.value === "") bounds.delete(name);
    else bounds.set(name, Number(field.value));
    search();
  });
  return field;
}

async function suggest(): Promise<void> {
  const text = input.value.trim();
  if (text === "") return at("#suggestions").replaceChildren();
  // The search itself tells what is wrong.
  const { suggestions } = await gateway.suggest({ index, text, size: 6 }).catch(() => ({ suggestions: [] }));
  at("#suggestions").replaceChildren(
    ...suggestions.map((suggestion) => {
      const option = document.createElement("option");
      option.value = suggestion.text;
      return option;
    }),
  );
}

let pause: ReturnType<typeof setTimeout>;
input.addEventListener("input", () => {
  clearTimeout(pause);
  pause = setTimeout(() => search(), 120);
  suggest();
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  search();
});
form.addEventListener("change", (event) => {
  if (event.target !== input) search();
});
at("#more").addEventListener("click", () => search(at("#hits").children.length));
// On a small screen the hits come first.
(at("details") as HTMLDetailsElement).open = matchMedia("(min-width: 44rem)").matches;
search();
