import { folded } from "@relevance/lib/platform/words.ts";

/** A rule as rules.yaml has it. What the form does not know of it stays as it is. */
export interface FormRule {
  name: string;
  when?: {
    text?: { is?: string[]; contains?: string[] };
    segments?: string[];
    indexes?: string[];
    from?: string;
    until?: string;
    [more: string]: unknown;
  };
  effects: Effects;
  [more: string]: unknown;
}

interface Weighted {
  filter: Record<string, unknown>;
  by: number;
}

interface Effects {
  pin?: { id: string; place: number; [more: string]: unknown }[];
  hide?: { ids?: string[]; filter?: unknown };
  boost?: Weighted[];
  bury?: Weighted[];
  filter?: Record<string, unknown>;
  replace_text?: string;
  redirect?: string;
  data?: unknown;
}

/** The rule that the address names is a new one. */
export const NEW_RULE = "new rule";

/** Returns a new rule: an empty one, or one for the searches of an index for a text. */
export const newRule = (text: string, index: string): FormRule =>
  text === ""
    ? { name: "", effects: {} }
    : { name: nameOf(text), when: { text: { is: [text] }, ...(index !== "" && { indexes: [index] }) }, effects: {} };

/** Returns what people type as the name of a rule, as rules.yaml takes it: `Garden week` becomes `garden-week`. */
export const nameOf = (typed: string): string =>
  folded(typed)
    .replace(/['’]/g, "")
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^[^a-z]+/, "")
    .slice(0, 63);

/** Returns what the page gets: a JSON object, or any other text as a banner; undefined for nothing. Throws for a broken one. */
export function pageDataOf(typed: string): unknown {
  const text = typed.trim();
  if (text === "") return undefined;
  return text.startsWith("{") ? JSON.parse(text) : { banner: text };
}

/** Returns a rule without what is empty, as people write it. */
export const tidy = (rule: FormRule): FormRule => withoutEmpty(rule) as FormRule;

function withoutEmpty(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const kept = Object.entries(value).flatMap(([key, one]) => {
    // The page gets what is written, empty or not.
    const tidied = key === "data" || key === "filter" ? one : withoutEmpty(one);
    const isEmpty =
      tidied === "" ||
      tidied === undefined ||
      (typeof tidied === "object" && tidied !== null && Object.keys(tidied).length === 0 && key !== "effects");
    return isEmpty ? [] : [[key, tidied] as const];
  });
  return Object.fromEntries(kept);
}

/** Returns the field and value of a simple filter; undefined for any other native query. */
export function termOf(filter: unknown): { field: string; value: string } | undefined {
  const [[kind, body] = [], ...more] = Object.entries((filter ?? {}) as Record<string, unknown>);
  if (kind !== "term" || more.length > 0 || typeof body !== "object" || body === null) return undefined;
  const [[field, value] = [], ...others] = Object.entries(body);
  return field === undefined || others.length > 0 || typeof value !== "string" ? undefined : { field, value };
}

/** Returns the texts that a rule is about. */
export const textsOf = ({ when }: FormRule): string[] => [...(when?.text?.is ?? []), ...(when?.text?.contains ?? [])];

/** Says what a rule does, in a few words. */
export function summaryOf({ effects }: FormRule): string {
  const { pin = [], hide, boost = [], bury = [], filter, replace_text, redirect, data } = effects ?? {};
  return [
    ...(pin.length > 0 ? [`pins ${pin.length}`] : []),
    ...(hide ? [hide.ids ? `hides ${hide.ids.length}` : "hides some"] : []),
    ...(boost.length > 0 ? ["raises some"] : []),
    ...(bury.length > 0 ? ["lowers some"] : []),
    ...(filter ? ["filters"] : []),
    ...(replace_text ? [`searches for “${replace_text}”`] : []),
    ...(redirect ? [`leads to ${redirect}`] : []),
    ...(data !== undefined ? ["tells the page something"] : []),
  ].join(", ");
}
