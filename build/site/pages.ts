import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { PACKAGE_FOLDER } from "../../lib/platform/folders.ts";
import { BuildError } from "../error.ts";
import { apiPage } from "./api-page.ts";
import { withTabs } from "./guide-tabs.ts";
import type { Page } from "./page.ts";

/** The pages of the APIs by their documents. */
const API_PAGES: Readonly<Record<string, string>> = {
  "docs/reference/openapi.json": "reference/search-gateway.md",
  "docs/reference/openapi-recommendation.json": "reference/recommendation-service.md",
};

/** Pages that stand elsewhere in the repository, by their files. */
const PLACES: Readonly<Record<string, string>> = {
  "README.md": "index.md",
  "docs/architecture.md": "architecture.md",
  ...API_PAGES,
  "docs/decisions": "decisions/index.md",
  "packages/clients/typescript/README.md": "clients/typescript.md",
  "packages/clients/python/README.md": "clients/python.md",
  "bench/RESULTS.md": "benchmarks.md",
  "bench/ENDED.md": "ended-benchmarks.md",
  "CONTRIBUTING.md": "contributing.md",
  "CHANGELOG.md": "changelog.md",
  "SECURITY.md": "security.md",
};

/** Returns the place on the site of a file of the repository; undefined if the site does not have it. */
function placeOf(file: string): string | undefined {
  const path = file.replace(/\/$/, "");
  if (PLACES[path] !== undefined) return PLACES[path];
  return /^docs\/(guides|decisions|reference)\/[^/]+\.(md|png)$/.test(path) ? path.slice("docs/".length) : undefined;
}

/** Returns the files of the repository that become pages. The README's place has the site's own first page. */
const sources = (root: string): string[] =>
  [
    ...globSync("docs/{guides,decisions,reference}/*.md", { cwd: root }),
    ...Object.keys(PLACES).filter((file) => file.endsWith(".md") && file !== "README.md"),
  ].sort();

/** Returns the pictures of the pages. */
export const picturesOf = (root = PACKAGE_FOLDER): string[] =>
  globSync("docs/guides/images/*.png", { cwd: root }).sort();

/**
 * Returns all pages but the first. Requests of guides get tabs. Links between files become links between pages; a link to a
 * file that the site does not have becomes text. Throws BuildError for links to files and headings that do not exist.
 */
export function pagesOf(root = PACKAGE_FOLDER): Page[] {
  const read = (file: string) => readFileSync(join(root, file), "utf8");
  const problems: string[] = [];
  const apis = Object.entries(API_PAGES).map(([file, path]) => ({ document: JSON.parse(read(file)), path }));
  const documents = apis.map(({ document }) => document);
  const pages = sources(root).map((file): Page => {
    const path = placeOf(file) ?? "";
    const whole = path.startsWith("guides/") ? withTabs(read(file), documents) : read(file);
    const text = linked(whole, (target) => targetOf(root, file, target, problems));
    return { path, title: titleOf(text) ?? basename(path, ".md"), text };
  });
  const decisions = pages.filter(({ path }) => path.startsWith("decisions/"));
  const list = decisions.map(({ path, title }) => `- [${title}](${basename(path)})`).join("\n");
  const all = [
    ...pages,
    ...apis.map(({ document, path }) => apiPage(document, path)),
    { path: "decisions/index.md", title: "Decisions", text: `# Decisions\n\n${list}\n` },
  ];
  problems.push(...deadHeadings(all));
  if (problems.length > 0) throw new BuildError(`Links of the documentation lead nowhere:\n${problems.join("\n")}`);
  return all;
}

const titleOf = (text: string): string | undefined => /^# (.+)$/m.exec(text)?.[1];

/** A link or a picture of Markdown, or code, in which there are none. */
const LINK = /(```[\s\S]*?\n *```|`[^`\n]*`)|(!?)\[((?:[^\]\n]|\n(?!\n))*)\]\(([^()\s]+)\)/g;

/** Replaces the targets of links; a link without one becomes its text. */
function linked(text: string, replace: (target: string) => string | undefined): string {
  return text.replace(LINK, (whole, code, picture, shown, target) => {
    if (code !== undefined || /^(https?:|mailto:)/.test(target)) return whole;
    const found = replace(target);
    return found === undefined ? shown : `${picture}[${shown}](${found})`;
  });
}

function targetOf(root: string, file: string, target: string, problems: string[]): string | undefined {
  const [path = "", heading] = target.split("#");
  const to = path === "" ? file : join(dirname(file), path);
  if (!existsSync(join(root, to))) problems.push(`${file}: ${target}`);
  const place = placeOf(to);
  if (place === undefined) return undefined;
  const from = dirname(placeOf(file) ?? "");
  // A heading of the README is not on the first page.
  const part = heading === undefined || place === "index.md" ? "" : `#${heading}`;
  return path === "" ? part : `${dotted(relative(from, place))}${part}`;
}

const dotted = (path: string) => (path.startsWith(".") ? path : `./${path}`);

/** Returns the id of a heading, as GitHub makes it, so that links work in both places. */
export const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");

/** Returns the headings' ids of a page. */
function headingsOf(text: string): Set<string> {
  const plain = text.replaceAll(/^ *```[\s\S]*?\n *```/gm, "");
  return new Set(
    [...plain.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => {
      const own = /\{#([\w-]+)\}$/.exec(heading)?.[1];
      return own ?? slugOf(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("`", ""));
    }),
  );
}

/** Returns the links to headings that no page has. */
function deadHeadings(pages: readonly Page[]): string[] {
  const headings = new Map(pages.map(({ path, text }) => [path, headingsOf(text)]));
  const dead: string[] = [];
  for (const { path, text } of pages) {
    linked(text, (target) => {
      const [to = "", heading] = target.split("#");
      const page = to === "" ? path : join(dirname(path), to);
      if (heading !== undefined && !headings.get(page)?.has(heading)) dead.push(`${path}: ${target}`);
      return target;
    });
  }
  return dead;
}
