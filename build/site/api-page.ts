import { type Described, describedOperations, exampleOf, type OpenApiFile, type Schema } from "./openapi-file.ts";
import type { Page } from "./page.ts";
import { requestTabs } from "./tabs.ts";

/** Returns the page of an API: each endpoint with its requests in three languages, and all schemas. */
export function apiPage(file: OpenApiFile, path: string): Page {
  const { info, components } = file;
  const title = info.title;
  const operations = describedOperations(file).map((operation) => endpoint(operation, file));
  const schemas = Object.entries(components.schemas).map(([name, schema]) => `### ${name}\n\n${described(schema)}`);
  const text = [`# ${title}`, info.description, ...operations, "## Schemas", ...schemas].join("\n\n");
  return { path, title, text: `${text}\n` };
}

function endpoint(operation: Described, { components }: OpenApiFile): string {
  const { summary, method, path, description, requestBody, responses } = operation;
  const answers = Object.entries(responses).map(([status, response]) => {
    const name = response.$ref?.split("/").at(-1);
    const { description: meaning = "", content } = name ? (components.responses[name] ?? {}) : response;
    const schema = content?.["application/json"]?.schema;
    return `| ${status} | ${cell(meaning)} | ${schema ? cell(typeOf(schema)) : ""} |`;
  });
  return [
    `## ${summary}`,
    `\`${method} ${path}\``,
    prose(description),
    tabs(operation),
    `Request: ${typeOf(requestBody?.content["application/json"]?.schema ?? {})}`,
    ["| status | meaning | body |", "|---|---|---|", ...answers].join("\n"),
  ].join("\n\n");
}

/** Returns the example of an operation in each language. */
function tabs(operation: Described): string {
  const { method, path, operationId } = operation;
  const body = JSON.stringify(exampleOf(operation), undefined, 2);
  const quoted = body.replaceAll("'", "'\\''");
  const curl = `curl -X ${method} "$URL${path}" -H "x-api-key: $KEY" -H 'content-type: application/json' -d '${quoted}'`;
  return requestTabs(curl, { method, path, body }, operationId);
}

/** Returns what a schema holds, as a table if it is an object. */
function described(schema: Schema): string {
  const about = schema.description === undefined ? [] : [prose(schema.description)];
  if (!schema.properties) return [...about, typeOf(schema)].join("\n\n");
  const rows = Object.entries(schema.properties).map(([name, property]) => {
    const required = schema.required?.includes(name) ? "yes" : "";
    return `| \`${name}\` | ${cell(typeOf(property))} | ${required} | ${cell(prose(property.description ?? ""))} |`;
  });
  return [...about, ["| member | type | required | meaning |", "|---|---|---|---|", ...rows].join("\n")].join("\n\n");
}

/** Returns the type of a value, with links to named ones. */
function typeOf(schema: Schema): string {
  const { $ref, anyOf, items, type } = schema;
  if ($ref !== undefined) {
    const name = $ref.split("/").at(-1) ?? "";
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (anyOf) return anyOf.map(typeOf).join(" or ");
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum) return schema.enum.map((one) => `\`${JSON.stringify(one)}\``).join(", ");
  if (type === "array") return `list of ${typeOf(items ?? {})}${most(schema.maxItems)}`;
  const { minimum, maximum } = schema;
  const range = minimum !== undefined && maximum !== undefined ? `, ${minimum} to ${maximum}` : "";
  return `${type ?? "any JSON"}${most(schema.maxLength)}${range}`;
}

const most = (count: number | undefined) => (count === undefined ? "" : `, at most ${count.toLocaleString("en")}`);

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ");

/** Escapes what Markdown or the site's templates would take for something else than words, outside of code. */
const prose = (text: string) => text.replaceAll(/`[^`]*`|[<[{]/g, (part) => (part.length > 1 ? part : `\\${part}`));
