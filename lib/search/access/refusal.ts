/** The rules that refuse a call. Answers name the rule; docs/guides/access.md explains each. */
export type Rule =
  | "endpoint"
  | "deny"
  | "dot-index"
  | "index"
  | "every-index"
  | "wildcard"
  | "date-math"
  | "name"
  | "hidden"
  | "parameter"
  | "content-type"
  | "body"
  | "alias"
  | "setting"
  | "script"
  | "remote"
  | "template"
  | "pipeline"
  | "open-search";

/** Why a call is refused. */
export interface Refusal {
  rule: Rule;
  /** The rest of the sentence "… is refused: <reason>". */
  reason: string;
}

export const refusal = (rule: Rule, reason: string): Refusal => ({ rule, reason });

/** Quotes a caller's text for a message. */
export const shown = (text: string): string => JSON.stringify(text.slice(0, 100));

/** Returns the first refusal among checks, which run one after another. */
export function firstOf<Item>(items: Iterable<Item>, check: (item: Item) => Refusal | undefined): Refusal | undefined {
  for (const item of items) {
    const found = check(item);
    if (found) return found;
  }
  return undefined;
}
