import { escaped } from "./charts.ts";

const STYLE = `
:root { color-scheme: light dark; }
body { font-family: system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; line-height: 1.5; }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
th, td { text-align: right; padding: 0.2rem 0.7rem; border-bottom: 1px solid #9995; font-variant-numeric: tabular-nums; }
th:first-child, td:first-child { text-align: left; }
svg { max-width: 100%; height: auto; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: 1.5rem; }
.columns li { margin-bottom: 0.75rem; overflow-wrap: anywhere; }
.columns small { display: block; }
`;

/** Returns a page of HTML for people without the console: it needs no other file, and runs and loads nothing. */
export function htmlPage(title: string, parts: readonly string[]): string {
  return [
    "<!doctype html>",
    `<html lang="en"><head><meta charset="utf-8"><title>${told(title)}</title>`,
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<meta name="viewport" content="width=device-width"><style>${STYLE}</style></head><body><main>`,
    `<h1>${told(title)}</h1>`,
    ...parts,
    "</main></body></html>",
    "",
  ].join("\n");
}

/** Returns a table of texts as HTML. */
export function htmlTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[], tag: "th" | "td") =>
    `<tr>${cells.map((cell) => `<${tag}>${told(cell)}</${tag}>`).join("")}</tr>`;
  const body = rows.map((cells) => row(cells, "td"));
  return `<table><thead>${row(header, "th")}</thead><tbody>\n${body.join("\n")}\n</tbody></table>`;
}

/** Escapes a text for a shared page, and removes credentials. */
export const told = (text: string): string => escaped(withoutKeys(text));

/** Names of parameters that carry a key or a signature, also as S3 and other stores write them. */
const KEYS = /key|token|secret|sig|passw|pwd|jwt|credential|auth|(?:^|[^a-z])(?:pass|sas)(?![a-z])/i;

/** Start of a parameter, also within URLs nested in parameter values. */
const BEFORE_PARAMETER = /(?=[?&#;]|%(?:25){0,3}(?:3f|26|23|3b))/i;
const PARAMETER_NAME = /^(?:[?&#;]|%(?:25){0,3}(?:3f|26|23|3b))([^=]*?)(?:=|%(?:25){0,3}3d)/i;
const SLASHES = /(\/\/|%(?:25){0,3}2f%(?:25){0,3}2f)/i;
const AFTER_HOST = /[/?#&]|%(?:25){0,3}(?:2f|3f|23|26)/i;
const AFTER_USER = /@|%(?:25){0,3}40/i;

/** Takes users, passwords and keys out of the URLs in a text, such as that of a picture which the data signs. */
const withoutKeys = (text: string): string => text.replaceAll(/[^\s"'<>]+/g, cleaned);

/** Cleans a word, which may be a URL without its beginning. */
function cleaned(word: string): string {
  const [first = "", ...rest] = word.split(BEFORE_PARAMETER);
  const kept = rest.filter((part) => !KEYS.test(decoded(PARAMETER_NAME.exec(part)?.[1] ?? "")));
  const [start = "", ...hosts] = [first, ...kept].join("").split(SLASHES);
  return start + hosts.map((part, at) => (at % 2 === 0 ? part : withoutUser(part))).join("");
}

/** Returns what follows two slashes, without a user and a password. */
function withoutUser(text: string): string {
  const end = text.search(AFTER_HOST);
  const [host, rest] = end < 0 ? [text, ""] : [text.slice(0, end), text.slice(end)];
  return (host.split(AFTER_USER).at(-1) ?? "") + rest;
}

/** Returns the name of a parameter, which may be written in percents to hide it. */
const decoded = (name: string): string =>
  name.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
