import { changed, withoutRules } from "./example.ts";
import type { Changes } from "./rules.ts";

export const BROWSER = { name: "page", endpoints: ["search"], indexes: ["products"], templates: ["page"] };

/** The full example without what refers to its templates, which rules about experiments and keys add. */
export const example = changed(
  changed(withoutRules(), "hybrid_search.yaml", ["experiments"], undefined),
  "api.yaml",
  ["keys"],
  undefined,
);

/** A template for hybrid search, with a parameter that is not declared. */
export const hybrid = (name: string) => ({
  name,
  search_request_template: { query: { hybrid: { queries: [{ match: { title: "[params.text]" } }] } } },
});
export const page = (search_request_template: object, ...parameters: object[]) => ({
  name: "page",
  search_request_template,
  parameters,
});
export const templates = (...list: object[]): Changes => ({ "hybrid_search.yaml templates": list });
export const keys = (...list: object[]): Changes => ({ "api.yaml keys": list });
export const key = (more: object = {}) => keys({ ...BROWSER, ...more });

export const TEXT = { name: "q", type: "text" };
export const SIZE = { name: "size", type: "number", min: 1, max: 50, default: 10 };
export const matching = (value: unknown) => ({ query: { match: { title: value } } });
/** A template without declarations. */
export const scored = (script: object) => ({
  name: "page",
  search_request_template: { query: { script_score: { query: { match_all: {} }, script } } },
});
export const at = "hybrid_search.yaml templates[0]";
export const body = `${at}.search_request_template`;
export const FREE = (name: string) =>
  `can be any text, which the cluster may read as more than a text here: give the parameter ${name} values`;
