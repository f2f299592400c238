import { computed } from "@preact/signals";
import { shownText } from "@relevance/lib/platform/words.ts";
import { goTo, place } from "../state.ts";
import { mapping } from "./mapping.ts";
import { documents } from "./results.ts";

/** Fields that usually name a document. */
const TITLES = ["title", "name", "TITLE", "NAME", "headline", "label"];

/** The fields of an index that hits show. */
export interface ShownFields {
  /** The field with the title; empty if the documents have none. */
  title: string;
  /** The fields below it. */
  below: string[];
}

/** Documents that are looked at for the names of fields. */
const LOOKED_AT = 50;

/** Every field with text that the found documents have. */
export const known = computed(() => {
  const found = [...documents.value.values()].slice(0, LOOKED_AT);
  const fields = found.flatMap((source) => Object.keys(source).filter((field) => textIn(source[field]) !== ""));
  return [...new Set(fields)].sort();
});

/** Displayed fields: from the address, from an earlier choice for this index, or the default. */
export const shown = computed<ShownFields>(() => {
  const { show, index } = place.value;
  const [title, ...below] = (show || kept(index)).split(",").map((part) => part.trim());
  return title === undefined || (title === "" && below.length === 0) ? usual() : { title, below };
});

function usual(): ShownFields {
  const title = TITLES.find((field) => known.value.includes(field)) ?? "";
  const texts = mapping.value.fields.filter((field) => field !== title);
  const prices = known.value.filter((field) => /(^|_)price$/i.test(field) && !texts.includes(field));
  return { title, below: [...prices, ...texts].filter((field) => known.value.includes(field)) };
}

/** Chooses what hits of the index show, now and whenever this browser searches it. */
export function show({ title, below }: ShownFields): void {
  const text = [title, ...below].join();
  try {
    localStorage.setItem(nameOf(place.value.index), text);
  } catch {
    // Without storage the address still has it.
  }
  goTo({ show: text }, { replace: true });
}

const nameOf = (index: string) => `fields shown of ${index}`;

function kept(index: string): string {
  try {
    return localStorage.getItem(nameOf(index)) ?? "";
  } catch {
    return "";
  }
}

/** Returns a field's content as text; empty if it has none. */
export function textIn(value: unknown): string {
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return shownText(value);
  return Array.isArray(value) && value.every((one) => typeof one === "string") ? shownText(value.join(", ")) : "";
}

/** Returns what a document is called: the chosen field, else one that usually names documents, else its id. */
export function titleOf(id: string, source: Record<string, unknown> | undefined): string {
  const fields = [shown.value.title, ...TITLES].filter((field) => textIn(source?.[field]) !== "");
  const [field] = fields;
  return field === undefined ? id : textIn(source?.[field]);
}

/** Fields that usually have the address of a picture. */
const PICTURES = ["image", "image_url", "picture", "thumbnail", "cover", "cover_url", "img"];

/** Returns the address of a document's picture; undefined if it has none. */
export function pictureOf(source: Record<string, unknown> | undefined): string | undefined {
  const found = PICTURES.flatMap((field) => source?.[field] ?? []).flat();
  return found.find((one): one is string => typeof one === "string" && /^(https:|data:image\/)/.test(one));
}

/** Returns the texts that are shown of a document: the short ones, and the longest, in which people look for what they wanted. */
export function textsOf(source: Record<string, unknown> | undefined): { facts: string[]; text: string } {
  const fields = shown.value.below.length > 0 ? shown.value.below : known.value;
  const texts = fields
    .filter((field) => field !== shown.value.title)
    .map((field) => (typeof source?.[field] === "number" ? `${field} ${source[field]}` : textIn(source?.[field])));
  const text = texts.reduce((longest, one) => (one.length > longest.length ? one : longest), "");
  const facts = shown.value.below.length > 0 ? texts.filter((one) => one !== "" && one !== text) : [];
  return { facts, text };
}
