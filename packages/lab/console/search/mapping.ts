import { computed, signal } from "@preact/signals";
import { entryOf, findNamed, type NamedIndex } from "@relevance/lib/search/resolve/entry.ts";
import type { ConsoleIndex } from "../../server/setup.ts";
import { callService } from "../api.ts";
import { place, setup } from "../state.ts";

interface Mapping {
  /** The chosen name. */
  index: string;
  /** Text fields, as the mapping has them. */
  fields: string[];
  /** Keyword fields, those inside text fields included. */
  keywords: string[];
  /** The indexes behind the name. */
  indexes: NamedIndex[];
  error: string;
}

/** The cluster's description of the chosen index or alias. */
export const mapping = signal<Mapping>({ index: "", fields: [], keywords: [], indexes: [], error: "" });

/** The entry of hybrid_search.yaml that the gateway uses for the chosen index or alias. */
export const entry = computed(() => entryFor(place.value.index));

/** Returns the entry for an index or alias: by its name alone until the cluster has said what it stands for. */
export function entryFor(name: string): ConsoleIndex | undefined {
  const entries = setup.value?.indexes ?? [];
  const [first] = mapping.value.index === name ? mapping.value.indexes : [];
  return first ? entryOf(entries, first, [name]) : findNamed(entries, name);
}

interface Property {
  type?: string;
  fields?: Record<string, { type?: string }>;
}

interface IndexAnswer {
  [index: string]: {
    aliases?: Record<string, unknown>;
    mappings: { properties?: Record<string, Property>; _meta?: { relevance?: { entry?: string } } };
  };
}

/** Reads what an index or alias stands for, and which text fields it has, once. */
export async function readMapping(index: string): Promise<void> {
  if (mapping.value.index === index && mapping.value.error === "") return;
  try {
    const path = `/raw-backend/${encodeURIComponent(index)}`;
    const { body } = await callService<IndexAnswer>({ service: "gateway", method: "GET", path });
    const properties = Object.values(body).flatMap(({ mappings }) => Object.entries(mappings.properties ?? {}));
    const ofType = (wanted: string, all: readonly (readonly [string, Property])[]) => [
      ...new Set(all.filter(([, { type }]) => type === wanted).map(([name]) => name)),
    ];
    const inside = properties.flatMap(([name, { fields = {} }]) =>
      Object.entries(fields).map(([own, property]) => [`${name}.${own}`, property] as const),
    );
    const indexes = Object.entries(body).map(([name, { aliases = {}, mappings }]) => ({
      name,
      aliases: Object.keys(aliases),
      describedEntry: mappings._meta?.relevance?.entry,
    }));
    const keywords = ofType("keyword", [...properties, ...inside]);
    mapping.value = { index, fields: ofType("text", properties), keywords, indexes, error: "" };
  } catch (error) {
    mapping.value = { index, fields: [], keywords: [], indexes: [], error: (error as Error).message };
  }
}
