import { readdirSync, readFileSync } from "node:fs";
import { type Document, parseDocument } from "yaml";
import type { Configuration } from "../../../lib/settings/configuration.ts";
import { parseConfiguration } from "../../../lib/settings/parse.ts";
import { ConfigurationError, formatProblem, type Path, type Problem } from "../../../lib/settings/problem.ts";
import { keeping, keptParsing } from "./kept-parsing.ts";

/** Texts of configuration files by their paths. */
export type Files = Readonly<Record<string, string>>;

const OWN: readonly [placeholder: string, own: string][] = [
  ["vpc-00000000000000000", "vpc-0a1b2c3d4e5f67890"],
  ["vpc-example-00000000000000000000000000.", "vpc-books-abcdefghijklmnopqrstuvwxyz."],
  ["domain_name: example\n", "domain_name: books\n"],
  ["domain_name: example.com", "domain_name: example.org"],
  ["000000000000:certificate/00000000", "123456789012:certificate/0a1b2c3d"],
];

/** The shipped example with a user's own values in place of the placeholders. */
export function filledExample(): Files {
  const fill = (text: string) => OWN.reduce((current, [placeholder, own]) => current.replace(placeholder, own), text);
  return mapTexts(filesOf("conf"), fill);
}

/** The filled example with every optional line switched on, as a user does by removing `# `: it has every key. */
export function fullExample(): Files {
  return mapTexts(filledExample(), (text) =>
    text.replace("  allow: recommended\n", "").replaceAll(/^( *)# ( *)(- |[a-z_-][\w-]*:(?: |$))/gm, "$1$2$3"),
  );
}

/** The full example without rules, which refer to what most of the other files have. */
export const withoutRules = (): Files => changed(fullExample(), "rules.yaml", ["rules"], undefined);

/** The files with the value at a path changed; undefined removes it. */
export function changed(files: Files, file: string, path: Path, value: unknown): Files {
  return changedAll(files, file, [[path, value]]);
}

/** The files with the values at several paths of one file changed, one after another. */
export function changedAll(files: Files, file: string, changes: readonly [path: Path, value: unknown][]): Files {
  const document = documentOf(files[file] ?? "").clone();
  for (const [path, value] of changes) {
    if (value === undefined) document.deleteIn(path);
    else document.setIn(path, value);
  }
  return { ...files, [file]: file.endsWith(".json") ? JSON.stringify(document.toJS()) : document.toString() };
}

const documentOf: (text: string) => Document = keeping((text) => parseDocument(text));

/** The problems of a configuration; none when it is valid. */
export function problemsOf(files: Files): readonly Problem[] {
  const outcome = outcomeOf(files);
  return Array.isArray(outcome) ? outcome : [];
}

/** The problems of a configuration as a user reads them. */
export function linesOf(files: Files): string[] {
  return problemsOf(files).map(formatProblem);
}

/** The value of a valid configuration, which the test may change. */
export function valid(files: Files): Configuration {
  return parseConfiguration(files);
}

function outcomeOf(files: Files): Configuration | Problem[] {
  try {
    return parseConfiguration(files, "conf", keptParsing);
  } catch (error) {
    if (error instanceof ConfigurationError) return [...error.problems];
    throw error;
  }
}

function filesOf(folder: string): Files {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.(yaml|json|txt)$/.test(name),
  );
  return Object.fromEntries(names.map((name) => [name, readFileSync(`${folder}/${name}`, "utf8")]));
}

function mapTexts(files: Files, change: (text: string) => string): Files {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [name, change(text)]));
}
