import { isObject } from "../../platform/json/values.ts";

/** A part of an analyzer: its parameters by name. Values are texts, numbers, flags and lists of these. */
export type Component = Readonly<Record<string, unknown>>;

/** The components of an index by kind and name. */
export type Components = ReadonlyMap<string, ReadonlyMap<string, Component>>;

/** The most tokens, or characters, that an analyzer may make of one. Several filters multiply what each of them makes. */
export const MAX_GROWTH = 256;

/** Assumed growth of a component that only the index defines. Two of these in one chain are allowed. */
const UNKNOWN = 16;

/**
 * Names of the cluster's own components that make one token of one. Other names are taken for components of the index.
 */
const PLAIN =
  /^(lowercase|uppercase|trim|unique|reverse|truncate|length|limit|stop|standard|classic|keyword|whitespace|letter|thai|uax_url_email|stemmer|snowball|\w*stem|asciifolding|apostrophe|elision|cjk_width|decimal_digit|html_strip|min_hash|fingerprint|type_as_payload|flatten_graph|remove_duplicates|scandinavian_folding|path_hierarchy|icu_folding|icu_normalizer|\w+_normalization)$/;

/** Growth by type, for the types that make more than one token of one. Names are in lower case without underscores. */
const GROWTHS: Readonly<Record<string, (component: Component) => number>> = {
  ngram: ({ min_gram, max_gram }) => span(min_gram, 1, max_gram, 2),
  edgengram: ({ min_gram, max_gram }) => span(min_gram, 1, max_gram, 2),
  shingle: ({ min_shingle_size, max_shingle_size }) => span(min_shingle_size, 2, max_shingle_size, 2) + 1,
  synonym: ({ synonyms }) => mostSynonyms(texts(synonyms)),
  synonymgraph: ({ synonyms }) => mostSynonyms(texts(synonyms)),
  mapping: ({ mappings }) => Math.max(1, ...texts(mappings).map((one) => one.length - one.lastIndexOf("=>") - 2)),
  patternreplace: ({ replacement }) => Math.max(1, texts(replacement).join("").length),
  patterncapture: ({ patterns }) => texts(patterns).join("").split("(").length,
  worddelimiter: () => 3,
  worddelimitergraph: () => 3,
  dictionarydecompounder: () => 10,
  phonetic: () => 10,
  icutransform: () => 30,
  cjkbigram: () => 2,
  commongrams: () => 2,
  keywordrepeat: () => 2,
};

const texts = (value: unknown): string[] => [value ?? []].flat().map(String);

function span(min: unknown, defaultMin: number, max: unknown, defaultMax: number): number {
  return Math.max(1, Number(max ?? defaultMax) - Number(min ?? defaultMin) + 1);
}

/** Returns the most words that a synonym rule makes of any text. */
function mostSynonyms(rules: readonly string[]): number {
  const words = new Map<string, number>();
  for (const rule of rules) {
    const [left = ""] = rule.split("=>");
    const size = rule.split(/[\s,]+/).length;
    for (const text of left
      .toLowerCase()
      .split(",")
      .map((part) => part.trim()))
      words.set(text, (words.get(text) ?? 0) + size);
  }
  let most = 1;
  for (const size of words.values()) most = Math.max(most, size);
  return most;
}

/** Computes growths, and caches them because many analyzers may use the same filter. */
export class Growth {
  private readonly components: Components | undefined;
  private readonly known = new Map<Component, number>();

  /** `components` are defined in the index; undefined if they are not known. */
  constructor(components?: Components) {
    this.components = components;
  }

  /** Returns the growth of an analyzer or normalizer. Its components are names or inline definitions. */
  ofAnalyzer({ char_filter, tokenizer, filter }: Component): number {
    return (
      this.ofChain("char_filter", char_filter) * this.ofChain("tokenizer", tokenizer) * this.ofChain("filter", filter)
    );
  }

  of(component: Component): number {
    const growth = this.known.get(component) ?? this.calculated(component);
    this.known.set(component, growth);
    return growth;
  }

  private calculated(component: Component): number {
    const type = typeOf(component);
    if (type !== "multiplexer") return Object.hasOwn(GROWTHS, type) ? (GROWTHS[type]?.(component) ?? 1) : 1;
    // Each entry is a chain of its own. A multiplexer that contains another multiplexer is refused.
    const chains = texts(component.filters).map((names) => names.split(",").map((name) => this.named("filter", name)));
    if (chains.flat().some((one) => typeof one === "object" && typeOf(one) === "multiplexer"))
      return Number.POSITIVE_INFINITY;
    return 1 + chains.reduce((sum, chain) => sum + this.product(chain), 0);
  }

  private ofChain(kind: string, value: unknown): number {
    const parts = [value ?? []].flat();
    return this.product(
      parts.flatMap((part) =>
        isObject(part)
          ? [part]
          : String(part)
              .split(",")
              .map((name) => this.named(kind, name)),
      ),
    );
  }

  private product(chain: ReadonlyArray<Component | number>): number {
    return chain.reduce<number>((product, one) => product * (typeof one === "number" ? one : this.of(one)), 1);
  }

  /** Returns the component with a name, or its growth if only the name is known. */
  private named(kind: string, text: string): Component | number {
    const name = text.trim();
    const defined = this.components?.get(kind)?.get(name);
    if (defined) return defined;
    const builtIn = { type: name };
    if (this.components !== undefined || PLAIN.test(name) || Object.hasOwn(GROWTHS, typeOf(builtIn))) return builtIn;
    return UNKNOWN;
  }
}

const typeOf = ({ type }: Component) =>
  String(type ?? "")
    .toLowerCase()
    .replaceAll("_", "");
