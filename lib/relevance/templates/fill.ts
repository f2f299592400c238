/** What fills the tokens of a template. */
export interface TemplateValues {
  /** Replaces `[search_query]`. */
  search_query: string;
  /** Each value replaces `[params.<name>]`. */
  params: Readonly<Record<string, unknown>>;
}

export interface FilledTemplate {
  filled: unknown;
  /** Names of parameters that the template has and the values lack. */
  missing: readonly string[];
  /** Names of parameters that the template does not have. */
  unused: readonly string[];
}

const PARAM = /^\[params\.([A-Za-z_][\w-]*)\]$/;

/**
 * Returns a copy of a template in which values replace tokens: strings that are exactly `[search_query]` or
 * `[params.<name>]`. Keys and parts of longer strings stay as they are.
 */
export function fillTemplate(template: unknown, { search_query, params }: TemplateValues): FilledTemplate {
  const names = new Set<string>();
  const fill = (value: unknown): unknown => {
    if (value === "[search_query]") return search_query;
    if (typeof value === "string") {
      const [, name] = PARAM.exec(value) ?? [];
      if (name === undefined) return value;
      names.add(name);
      return Object.hasOwn(params, name) ? params[name] : value;
    }
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item)]));
  };
  const filled = fill(template);
  return {
    filled,
    missing: [...names].filter((name) => !Object.hasOwn(params, name)),
    unused: Object.keys(params).filter((name) => !names.has(name)),
  };
}
