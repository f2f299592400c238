import { isHybrid, parameterOf, QUERY_TOKEN } from "../../lib/platform/json/template.ts";
import { isObject } from "../../lib/platform/json/values.ts";
import { markOf } from "../../lib/platform/json/when.ts";
import { pipelineJson } from "../../lib/search/sources/hybrid/body.ts";
import type { HybridQuery, Template } from "../../lib/settings/hybrid-search.ts";

/** A template or clause that the cluster's own templates cannot say. */
export class NotNative extends Error {
  override name = "NotNative";
}

/** Returns the body of `PUT _scripts/<name>`. Throws NotNative. */
export function nativeTemplate(template: Template): { script: { lang: "mustache"; source: string } } {
  const writer = new Mustache(template);
  return { script: { lang: "mustache", source: writer.text(template.search_request_template) } };
}

/** Returns the JSON for `PUT _search/pipeline/<name>`: how the scores of hybrid queries of an index are fused. */
export function nativePipeline({ settings: { weights, ...settings } }: HybridQuery): string {
  const parts = { weights: weights ?? null, sampleFactor: 1, explain: false, responseProcessors: [] };
  const text = pipelineJson(settings, parts);
  // As text, since the cluster fails on a weight of 1 instead of 1.0.
  return `{${text.slice(text.indexOf('"phase_results_processors"'))}`;
}

/** In these lists, a clause that matches everything changes no hit and no order. */
const NEUTRAL = ["filter"];

/** Writes the JSON of a template with Mustache's tags. */
class Mustache {
  readonly #defaults: ReadonlyMap<string, unknown>;
  readonly #types: ReadonlyMap<string, string>;
  readonly #hasVectors: boolean;

  constructor({ search_request_template, params, parameters = [] }: Template) {
    const declared = parameters.map(({ name, default: value }) => [name, value] as const);
    this.#defaults = new Map([...Object.entries(params), ...declared.filter(([, value]) => value !== undefined)]);
    const typeOf = ([name, value]: readonly [string, unknown]) =>
      [name, typeof value === "string" ? "text" : "json"] as const;
    this.#types = new Map([
      ["search_query", "text"],
      ...Object.entries(params).map(typeOf),
      ...parameters.map(({ name, type }) => [name, type] as const),
    ]);
    this.#hasVectors = isHybrid(search_request_template);
  }

  text(value: unknown, key = ""): string {
    if (typeof value === "string") return this.#token(value);
    if (Array.isArray(value)) return `[${this.#clauses(value, key)}]`;
    if (!isObject(value)) return JSON.stringify(value);
    const members = Object.entries(value).map(([name, member]) => {
      if (markOf(member) !== undefined) throw new NotNative(`${name} has \`when\` outside of a list`);
      return `${JSON.stringify(name)}:${this.text(member, name)}`;
    });
    return `{${members.join()}}`;
  }

  #token(value: string): string {
    const vector = this.#hasVectors ? /^\[(\w+)\]$/.exec(value)?.[1] : undefined;
    const named = value === QUERY_TOKEN ? "search_query" : parameterOf(value);
    const name = named ?? vector;
    if (name === undefined) return JSON.stringify(value);
    const type = named === undefined ? "numbers" : this.#types.get(named);
    if (type === undefined) throw new NotNative(`the type of ${name} is not known: declare it in \`parameters\``);
    // Of a text, `toJson` writes no quotation marks.
    const json = type === "text" ? `"{{${name}}}"` : `{{#toJson}}${name}{{/toJson}}`;
    if (!this.#defaults.has(name)) return json;
    return `${this.#ifGiven(name, json)}{{^${name}}}${JSON.stringify(this.#defaults.get(name))}{{/${name}}}`;
  }

  /** Clauses with `when` come last, each with its comma. The order of clauses has no meaning. */
  #clauses(all: readonly unknown[], key: string): string {
    const marked = all.filter((one) => markOf(one) !== undefined);
    const always = all.filter((one) => markOf(one) === undefined).map((one) => this.text(one));
    if (marked.length === 0) return always.join();
    if (always.length === 0 && !NEUTRAL.includes(key)) throw new NotNative(`${key} has only clauses with \`when\``);
    const first = always.length === 0 ? ['{"match_all":{}}'] : always;
    return first.join() + marked.map((one) => this.#marked(one as Readonly<Record<string, unknown>>)).join("");
  }

  #marked({ when, ...clause }: Readonly<Record<string, unknown>>): string {
    return this.#ifGiven(String(when), `,${this.text(clause)}`);
  }

  /** A section of a list would repeat its content for each entry. */
  #ifGiven(name: string, content: string): string {
    const section = this.#types.get(name)?.endsWith("s") ? `${name}.size` : name;
    return `{{#${section}}}${content}{{/${section}}}`;
  }
}
