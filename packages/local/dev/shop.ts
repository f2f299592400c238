import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Served } from "@relevance/lab/server/loopback.ts";
import { bundle, servePage } from "@relevance/lab/server/page.ts";
import { PACKAGE_FOLDER } from "@relevance/lib/platform/folders.ts";

/** The key of conf.local with which the page calls both services. */
export const SHOP_KEY = "shop";

interface ShopOptions {
  demo: boolean;
  /** The value of the page's key, if the configuration lists it. */
  key: string | undefined;
  /** Addresses of the two services. */
  search: string;
  recommendation: string | undefined;
  port?: number;
}

/** Serves the shop page for the demo's books. Undefined without the demo, its key or the recommendation service. */
export async function startShop({ demo, key, search, recommendation, port }: ShopOptions): Promise<Served | undefined> {
  const folder = join(PACKAGE_FOLDER, "packages/shop");
  if (!demo || key === undefined || recommendation === undefined) return undefined;
  const env = { SEARCH_URL: search, RECOMMENDATION_URL: recommendation, KEY: key };
  const page = await bundle({ folder, name: "shop", script: "shop.ts", style: "shop.css" }, bundleOptions(env));
  return servePage(page, [search, recommendation], port);
}

/** Returns esbuild's options: how to find the page's imports, and the values to insert. */
export function bundleOptions(env: Readonly<Record<string, string>> = {}) {
  const clients = join(PACKAGE_FOLDER, "packages/clients");
  const alias = () => {
    const instantSearch = createRequire(createRequire(import.meta.url).resolve("instantsearch.js/package.json"));
    return {
      "@relevance/client": join(clients, "typescript/src/index.ts"),
      "@relevance/instantsearch": join(clients, "instantsearch/src/index.ts"),
      // InstantSearch imports preact directly and through htm, which must not resolve to the console's version.
      preact: dirname(instantSearch.resolve("preact/package.json")),
    };
  };
  return {
    // An installed package has the page with its imports inside.
    ...(existsSync(join(clients, "instantsearch")) && { alias: alias() }),
    define: {
      "process.env.NODE_ENV": '"production"',
      ...Object.fromEntries(
        Object.entries(env).map(([name, value]) => [`import.meta.env.${name}`, JSON.stringify(value)]),
      ),
    },
  };
}
