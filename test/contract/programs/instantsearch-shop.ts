// What the pages by React and Vue have in common: the search client, and a place in which they show themselves.

import { Relevance } from "@relevance/client";
import { instantSearchClients } from "@relevance/instantsearch";
import { gateway } from "../../../packages/clients/instantsearch/test/gateway.ts";

/** Keeps an error for the test. */
export const tell = (error: unknown): void => {
  window.errors.push(String(error));
};

/** The listing that the pages show. */
export const indexName = "shop";

export const { searchClient } = instantSearchClients(
  new Relevance(gateway),
  { [indexName]: { index: gateway.index, template: "shop", facets: { brand: "values" } } },
  { clientId: "browser-1" },
);

/** Takes the place of what the page has for InstantSearch.js. */
export const place = document.createElement("main");
document.body.replaceChildren(place);
