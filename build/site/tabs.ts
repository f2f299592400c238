/** A call of an API. Its body is JSON as a page prints it; its path may have variables of a shell. */
export interface Call {
  method: string;
  path: string;
  body?: string | undefined;
}

/** Returns a request as a command and in the languages of the clients. Without `operationId` it is one of the cluster's own API. */
export function requestTabs(curl: string, call: Call, operationId: string | undefined): string {
  const { body } = call;
  const python = body?.replaceAll(STRING_OR_WORD, (part) => PYTHON_WORDS[part] ?? part);
  const inTypeScript = operationId
    ? `${operationId}(${body ?? ""})`
    : raw(call, (name) => `\${${name}}`, "`", body && `{ body: ${body} }`);
  const inPython = operationId
    ? `${snakeCase(operationId)}(${python ?? ""})`
    : raw(call, (name) => `{${name}}`, 'f"', python);
  return [
    "::: code-group",
    fence("sh [curl]", curl),
    fence(
      "ts [TypeScript]",
      `const relevance = new Relevance({ url, key });\nconst answer = await relevance.${inTypeScript};`,
    ),
    fence("python [Python]", `relevance = Relevance(url, key)\nanswer = relevance.${inPython}`),
    ":::",
  ].join("\n");
}

/** Strings of JSON, which stay as they are, and the words for which Python has others. */
const STRING_OR_WORD = /"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g;
const PYTHON_WORDS: Readonly<Record<string, string>> = { true: "True", false: "False", null: "None" };

const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const fence = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\``;

/** Returns a call of the cluster's own API. `open` begins a text with variables in it. */
function raw(
  { method, path }: Call,
  variable: (name: string) => string,
  open: string,
  body: string | undefined,
): string {
  const below = path.replace(/^\/raw-backend/, "");
  const filled = below.replaceAll(/\$(\w+)/g, (_, name: string) => variable(name.toLowerCase()));
  const text = filled === below ? JSON.stringify(below) : `${open}${filled}${open.at(-1)}`;
  return `raw(${[JSON.stringify(method), text, ...(body ? [body] : [])].join(", ")})`;
}
