import { describedOperations, exampleOf, type OpenApiFile } from "./openapi-file.ts";

/** The APIs by their folder in the collection, with the variables of their URL and key. */
const FOLDERS = { "search gateway": "search", "recommendation service": "recommendation" } as const;

/** The ports of `PORT=8000 make dev`. */
const PORTS = { search: 8000, recommendation: 8003 } as const;

/** Returns the files of a collection for Bruno: a request for each example of both APIs. */
export function brunoCollection(files: Readonly<Record<keyof typeof FOLDERS, OpenApiFile>>): Map<string, string> {
  const collection = { version: "1", name: "Relevance", type: "collection" };
  const variables = Object.values(FOLDERS).map((name) => `  ${name}_url: http://127.0.0.1:${PORTS[name]}`);
  const secrets = Object.values(FOLDERS).map((name) => `  ${name}_key`);
  const all = new Map([
    ["bruno.json", `${JSON.stringify(collection, undefined, 2)}\n`],
    ["environments/local.bru", `vars {\n${variables.join("\n")}\n}\nvars:secret [\n${secrets.join(",\n")}\n]\n`],
  ]);
  for (const [folder, name] of Object.entries(FOLDERS)) {
    const file = files[folder as keyof typeof FOLDERS];
    for (const [at, operation] of describedOperations(file).entries()) {
      const body = JSON.stringify(exampleOf(operation), undefined, 2).replaceAll(/^/gm, "  ");
      all.set(
        `${folder}/${operation.summary}.bru`,
        [
          block("meta", [`name: ${operation.summary}`, "type: http", `seq: ${at + 1}`]),
          block(operation.method.toLowerCase(), [`url: {{${name}_url}}${operation.path}`, "body: json", "auth: none"]),
          block("headers", [`x-api-key: {{${name}_key}}`]),
          `body:json {\n${body}\n}\n`,
          block("docs", [operation.description]),
        ].join("\n"),
      );
    }
  }
  return all;
}

const block = (name: string, lines: readonly string[]) =>
  `${name} {\n${lines.map((line) => `  ${line}\n`).join("")}}\n`;
