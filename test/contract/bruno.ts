// The requests of the collection for Bruno, as Bruno's own parser reads them.
import { createRequire } from "node:module";
import { join } from "node:path";
import { NODE_MODULES } from "./tools.ts";

/** What the parser returns of a request and of an environment, as far as it is read here. */
interface Parser {
  bruToJsonV2(text: string): {
    http: { method: string; url: string; body: string; auth: string };
    headers: { name: string; value: string; enabled: boolean }[];
    body: { json: string };
    docs: string;
  };
  bruToEnvJsonV2(text: string): { variables: { name: string; value: string; secret: boolean }[] };
}

/** A request as Bruno sends it. */
export interface BrunoRequest {
  name: string;
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
  docs: string;
}

/**
 * Returns the requests of a collection with the variables of its environment, for which values may be given. Throws an error for
 * a file that Bruno cannot parse and for a variable that the environment does not have.
 */
export function brunoRequests(
  collection: ReadonlyMap<string, string>,
  given: Readonly<Record<string, string>> = {},
): BrunoRequest[] {
  const parser: Parser = createRequire(join(NODE_MODULES, "index.js"))("@usebruno/lang");
  const { variables } = parser.bruToEnvJsonV2(collection.get("environments/local.bru") ?? "");
  const values = new Map(variables.map(({ name, value }) => [name, given[name] ?? value]));
  const filled = (text: string) =>
    text.replaceAll(/\{\{(.*?)\}\}/g, (_, name: string) => {
      const value = values.get(name);
      if (value === undefined) throw new Error(`the environment has no variable ${name}`);
      return value;
    });
  const files = [...collection].filter(([path]) => path.endsWith(".bru") && !path.startsWith("environments/"));
  return files.map(([name, text]) => {
    const { http, headers, body, docs } = parser.bruToJsonV2(text);
    if (http.body !== "json" || http.auth !== "none") throw new Error(`${name}: body ${http.body}, auth ${http.auth}`);
    const sent = headers.filter(({ enabled }) => enabled).map(({ name: header, value }) => [header, filled(value)]);
    return {
      ...{ name, method: http.method.toUpperCase(), url: filled(http.url), body: filled(body.json), docs },
      // Bruno adds it for bodies of JSON.
      headers: { "content-type": "application/json", ...Object.fromEntries(sent) },
    };
  });
}
