import type { SearchRow } from "./dimensions.ts";

/** A kind of field: its mapping, its values, and a query of it. */
interface Shape {
  properties: object;
  document(at: number): object;
  routing(id: string): object;
  query(innerHits: object): object;
}

const COLORS = ["red", "green", "blue"];
const color = (at: number) => COLORS[at % COLORS.length] ?? "";
const unrouted = () => ({});

/** The kinds of fields of the dimension `mapping`. */
export const SHAPES: Readonly<Record<SearchRow["mapping"], Shape>> = {
  plain: { properties: {}, document: () => ({}), routing: unrouted, query: () => ({ term: { year: 1903 } }) },
  nested: {
    properties: { parts: { type: "nested", properties: { color: { type: "keyword" }, weight: { type: "integer" } } } },
    document: (at) => ({
      parts: [
        { color: color(at), weight: at },
        { color: color(at + 1), weight: at + 5 },
      ],
    }),
    routing: unrouted,
    query: (innerHits) => ({
      nested: { path: "parts", query: { term: { "parts.color": "red" } }, ...innerHits },
    }),
  },
  object: {
    properties: { brand: { properties: { name: { type: "keyword" } } } },
    document: (at) => ({ brand: { name: color(at) } }),
    routing: unrouted,
    query: () => ({ term: { "brand.name": "red" } }),
  },
  flat_object: {
    properties: { attributes: { type: "flat_object" } },
    document: (at) => ({ attributes: { color: color(at), deep: { one: `v${at % 4}` } } }),
    routing: unrouted,
    query: () => ({ term: { "attributes.color": "red" } }),
  },
  join: {
    properties: { relation: { type: "join", relations: { item: "review" } } },
    // Every third document is a review of the first one.
    document: (at) => ({ relation: at % 3 === 2 ? { name: "review", parent: "d0" } : "item" }),
    routing: () => ({ routing: "r" }),
    query: (innerHits) => ({
      has_child: { type: "review", query: { match_all: {} }, ...innerHits },
    }),
  },
  completion: {
    properties: { done: { type: "completion" } },
    document: (at) => ({ done: `${color(at)} thing` }),
    routing: unrouted,
    query: () => ({ term: { year: 1903 } }),
  },
  vectors: {
    properties: {},
    document: () => ({}),
    routing: unrouted,
    query: () => ({ term: { year: 1903 } }),
  },
};
