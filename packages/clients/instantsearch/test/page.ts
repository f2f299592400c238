import instantsearch from "instantsearch.js/es/index.js";
import {
  clearRefinements,
  configure,
  currentRefinements,
  hierarchicalMenu,
  hits,
  infiniteHits,
  numericMenu,
  pagination,
  rangeInput,
  rangeSlider,
  refinementList,
  searchBox,
  sortBy,
  stats,
  toggleRefinement,
} from "instantsearch.js/es/widgets/index.js";
import { Relevance } from "../../typescript/src/index.ts";
import { instantSearchClients } from "../src/index.ts";
import { gateway } from "./gateway.ts";

const facets = {
  brand: "values",
  "category.lvl0": "values",
  "category.lvl1": "values",
  free: "values",
  price: "range",
} as const;
const shop = { index: gateway.index, template: "shop", facets };
const { searchClient, insightsClient } = instantSearchClients(
  new Relevance(gateway),
  { shop, shop_cheap: { ...shop, template: "shop_cheap" }, shop_broken: { ...shop, index: `${gateway.index}-none` } },
  { clientId: "browser-1" },
);

const search = instantsearch({ indexName: "shop", searchClient, insights: { insightsClient } });
search.on("error", ({ error }) => window.errors.push(`${error.name}: ${error.message}`));

const item = {
  item: (
    hit,
    { html, components, sendEvent },
  ) => html`<div data-id=${hit.objectID} data-plain=${hit._highlightResult.name.value}>
    <a onclick=${() => sendEvent("click", hit, "Product clicked")}>${components.Highlight({ hit, attribute: "name" })}</a>
    <button onclick=${() => sendEvent("conversion", hit, "Product bought")}>buy</button></div>`,
} satisfies Parameters<typeof hits>[0]["templates"];

const unsupported = new URLSearchParams(location.search).get("configure");
search.addWidgets([
  searchBox({ container: "#search-box" }),
  configure({ hitsPerPage: 5, ...JSON.parse(unsupported ?? "{}") }),
  hits({ container: "#hits", templates: item }),
  infiniteHits({ container: "#infinite-hits", templates: item }),
  stats({ container: "#stats" }),
  refinementList({ container: "#brand", attribute: "brand", limit: 10 }),
  hierarchicalMenu({ container: "#category", attributes: ["category.lvl0", "category.lvl1"] }),
  toggleRefinement({ container: "#free", attribute: "free", on: true }),
  rangeSlider({ container: "#price-slider", attribute: "price" }),
  rangeInput({ container: "#price-input", attribute: "price" }),
  numericMenu({
    container: "#price-menu",
    attribute: "price",
    items: [
      { label: "All" },
      { label: "to 20", end: 20 },
      { label: "30", start: 30, end: 30 },
      { label: "from 50", start: 50 },
    ],
  }),
  sortBy({
    container: "#sort-by",
    items: [
      { label: "Best", value: "shop" },
      { label: "Cheapest", value: "shop_cheap" },
      { label: "Broken", value: "shop_broken" },
    ],
  }),
  pagination({ container: "#pagination" }),
  currentRefinements({ container: "#current" }),
  clearRefinements({ container: "#clear" }),
]);
search.start();
