import type { Rule } from "../../settings/rules.ts";
import { type Effects, NO_EFFECTS, type Pin } from "./effects.ts";

type Query = Readonly<Record<string, unknown>>;

/**
 * Combines the effects of rules. Hiding takes precedence over pinning. If several rules set a text, a redirect, or a
 * pin of the same document, the first wins; a text needs an original to replace. A pin whose rank is taken gets the
 * next free one. Filters must all match, and factors are multiplied.
 */
export function effectsOf(rules: readonly Rule[], { hasText }: { hasText: boolean }): Effects {
  if (rules.length === 0) return NO_EFFECTS;
  const all = rules.map(({ effects }) => effects);
  const hiddenIds = new Set(all.flatMap(({ hide }) => hide?.ids ?? []));
  const textRule = hasText ? rules.find(({ effects }) => effects.replace_text !== undefined) : undefined;
  const redirectRule = rules.find(({ effects }) => effects.redirect !== undefined);
  const wanted = all.flatMap(({ pin = [] }) => pin).filter(({ id }) => !hiddenIds.has(id));
  return {
    pins: placed(wanted),
    hiddenIds: [...hiddenIds],
    hidden: all.flatMap(({ hide }): Query[] => (hide?.filter ? [hide.filter] : [])),
    filters: all.flatMap(({ filter }): Query[] => (filter ? [filter] : [])),
    weights: all.flatMap(({ boost = [], bury = [] }) => [
      ...boost.map(({ filter, by }) => ({ filter, weight: by })),
      ...bury.map(({ filter, by }) => ({ filter, weight: 1 / by })),
    ]),
    text: textRule?.effects.replace_text,
    boostHits: all.find(({ boost_hits }) => boost_hits)?.boost_hits,
    applied: rules.map((rule) => ({
      name: rule.name,
      ...(rule === textRule && { text: rule.effects.replace_text as string }),
      ...(rule === redirectRule && { redirect: rule.effects.redirect as string }),
      ...(rule.effects.data && { data: rule.effects.data }),
    })),
  };
}

/** Returns the pins with a distinct rank each, in the order of ranks. */
function placed(wanted: readonly Pin[]): Pin[] {
  const byPlace = new Map<number, Pin>();
  const ids = new Set<string>();
  for (const pin of wanted) {
    if (ids.has(pin.id)) continue;
    ids.add(pin.id);
    let { place } = pin;
    while (byPlace.has(place)) place += 1;
    byPlace.set(place, { ...pin, place });
  }
  return [...byPlace.values()].sort((a, b) => a.place - b.place);
}
