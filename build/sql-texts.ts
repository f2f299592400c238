import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Plugin } from "esbuild";

const READ = /readFileSync\(new URL\("([^"]+\.sql)", import\.meta\.url\), "utf8"\)/g;

/**
 * Puts the text of SQL files into the bundle, in place of the calls that read them. esbuild then knows the files as
 * sources, on which the stored bundles depend.
 */
export const sqlTexts: Plugin = {
  name: "sql-texts",
  setup({ onLoad }) {
    onLoad({ filter: /\/sql\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const names = [...source.matchAll(READ)].map(([, name]) => name);
      const imports = names.map((name, index) => `import sql${index} from "./${name}";\n`).join("");
      let next = 0;
      const contents = imports + source.replace(READ, () => `sql${next++}`);
      return { contents, loader: "ts", resolveDir: dirname(path) };
    });
  },
};
