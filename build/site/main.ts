/** `make docs`: builds the site from the documentation into dist/docs, with a collection for Bruno. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { PACKAGE_FOLDER } from "../../lib/platform/folders.ts";
import { zip } from "../archive.ts";
import { withMain, withoutEmptyHeads } from "./accessible.ts";
import { brunoCollection } from "./bruno.ts";
import { llmsText, siteConfig } from "./config.ts";
import { pagesOf, picturesOf, slugOf } from "./pages.ts";
import { FIELD_WEIGHTS, fieldOf, fuzziness, KEYWORDS, pageWeight, searchTerm } from "./search.ts";

const SITE = join(PACKAGE_FOLDER, "docs/site");
/** The generator finds its packages above its input. */
const INPUT = join(SITE, "generated");
const OUTPUT = join(PACKAGE_FOLDER, "dist/docs");

const put = (path: string, content: string | Uint8Array) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
};

const document = (name: string) => JSON.parse(readFileSync(join(PACKAGE_FOLDER, "docs/reference", name), "utf8"));

if (!existsSync(join(SITE, "node_modules/vitepress"))) {
  const install = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  execFileSync("npm", install, { cwd: SITE, stdio: ["ignore", "ignore", "inherit"] });
}
rmSync(INPUT, { recursive: true, force: true });
const pages = pagesOf();
for (const { path, text } of pages) put(join(INPUT, path), text);
put(join(INPUT, "index.md"), readFileSync(join(SITE, "index.md")));
for (const picture of picturesOf()) {
  put(join(INPUT, "guides/images", basename(picture)), readFileSync(join(PACKAGE_FOLDER, picture)));
}
put(join(INPUT, "public/shop.png"), readFileSync(join(PACKAGE_FOLDER, "docs/guides/images/shop.png")));
const config = JSON.stringify(siteConfig(pages));
put(
  join(INPUT, ".vitepress/config.mjs"),
  `const config = ${config};
const slugify = ${slugOf};
const heads = ${withoutEmptyHeads};
const markdown = { ...config.markdown, anchor: { slugify }, config: ({ core }) => core.ruler.push("heads", heads) };
const transform = ${withMain};
const KEYWORDS = ${JSON.stringify(KEYWORDS)};
const boost = ${JSON.stringify(FIELD_WEIGHTS)};
const miniSearch = {
  options: { fields: Object.keys(boost), extractField: ${fieldOf}, processTerm: ${searchTerm} },
  searchOptions: { fuzzy: ${fuzziness}, prefix: true, boost, boostDocument: ${pageWeight} },
};
const plugins = [{ name: "main", enforce: "pre", transform }];
const themeConfig = { ...config.themeConfig, search: { provider: "local", options: { miniSearch } } };
export default { ...config, themeConfig, markdown, vite: { plugins } };
`,
);
cpSync(join(SITE, "theme"), join(INPUT, ".vitepress/theme"), { recursive: true });
const generator = join(SITE, "node_modules/vitepress/bin/vitepress.js");
execFileSync(process.execPath, [generator, "build", INPUT, "--outDir", OUTPUT], {
  stdio: ["ignore", "ignore", "inherit"],
});
// Agents read the pages as Markdown.
for (const { path, text } of pages) put(join(OUTPUT, path), text);
put(join(OUTPUT, "llms.txt"), llmsText(pages));
const collection = brunoCollection({
  "search gateway": document("openapi.json"),
  "recommendation service": document("openapi-recommendation.json"),
});
const files = new Map([...collection].map(([name, text]) => [`relevance/${name}`, Buffer.from(text)]));
put(join(OUTPUT, "relevance-bruno.zip"), await zip(files, join(PACKAGE_FOLDER, "dist/bundles")));
cpSync(join(PACKAGE_FOLDER, "docs/reference/openapi.json"), join(OUTPUT, "openapi.json"));
cpSync(join(PACKAGE_FOLDER, "docs/reference/openapi-recommendation.json"), join(OUTPUT, "openapi-recommendation.json"));
rmSync(INPUT, { recursive: true, force: true });
console.log(`Written: ${pages.length + 1} pages in dist/docs, and dist/docs/relevance-bruno.zip`);
