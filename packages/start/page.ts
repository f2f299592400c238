import { join } from "node:path";
import type { Served } from "@relevance/lab/server/loopback.ts";
import { bundle, servePage } from "@relevance/lab/server/page.ts";
import { facetKind, parameterOf } from "./configuration.ts";
import type { PageSettings } from "./page/settings.ts";
import type { Proposal } from "./proposal.ts";

/** Serves a page that searches the index by its two templates, with the key of the page. */
export async function serveSearchPage(proposal: Proposal, url: string, key: string, port: number): Promise<Served> {
  const settings: PageSettings = { ...settingsOf(proposal), url, key };
  const page = await bundle(
    { folder: join(import.meta.dirname, "page"), name: "page", script: "page.ts", style: "page.css" },
    {
      define: { SETTINGS: JSON.stringify(settings) },
    },
  );
  return servePage(page, [url], port, "https: http:");
}

function settingsOf({ index, title, texts, facets, price, image, link }: Proposal): Omit<PageSettings, "url" | "key"> {
  const [, text] = texts;
  return {
    ...{ index, words: index, meaning: `${index}-meaning`, title: title.field },
    ...(text && { text: text.field }),
    ...(image && { image: image.field }),
    ...(price && { price: price.field }),
    ...(link && { link: link.field }),
    facets: facets
      .filter(({ type }) => type !== "date")
      .map((column) => ({
        label: column.path,
        parameter: parameterOf(column),
        kind: facetKind(column),
      })),
  };
}
