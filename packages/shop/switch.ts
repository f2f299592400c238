import type { Listing } from "@relevance/instantsearch";
import { connectSortBy } from "instantsearch.js/es/connectors";

/** A search mode and its label. */
const MODES = { both: "words and meaning", words: "words", meaning: "meaning" } as const;
const ORDERS = { best: "Best first", cheapest: "Cheapest first", newest: "Newest first" } as const;

type Mode = keyof typeof MODES;
type Order = keyof typeof ORDERS;

const FACETS: Listing["facets"] = {
  ...{ categories: "values", "author.keyword": "values", language: "values", in_stock: "values", price: "range" },
};

/** The name of a listing, which `sortBy` has in the address of the page. */
export const listingOf = (mode: Mode, order: Order) => (order === "best" ? mode : `${mode}-${order}`);

export const modeOf = (listing: string) => listing.split("-")[0] as Mode;
const orderOf = (listing: string) => (listing.split("-")[1] ?? "best") as Order;

/** A listing for each mode and order, with the templates of conf.local/hybrid_search.yaml. */
export const LISTINGS: Record<string, Listing> = {};
for (const mode of Object.keys(MODES) as Mode[]) {
  for (const order of Object.keys(ORDERS) as Order[]) {
    const hybridTemplate = order === "best" ? `shop_${mode}` : `shop_${order}_both`;
    LISTINGS[listingOf(mode, order)] = {
      index: "books",
      template: order === "best" ? "shop" : `shop_${order}`,
      facets: FACETS,
      ...(mode === "words" ? { most: 960 } : { hybridTemplate, most: 96 }),
    };
  }
}

/** Search mode and sort order; together they choose the listing in the address. */
export const listingSwitch = () => widget({ items: Object.keys(LISTINGS).map((value) => ({ value, label: value })) });

const widget = connectSortBy(({ currentRefinement, refine }, isFirst) => {
  const modes = document.querySelector("#modes") as HTMLElement;
  const order = document.querySelector("#order") as HTMLSelectElement;
  if (isFirst) {
    for (const [mode, label] of Object.entries(MODES)) {
      const choice = document.createElement("label");
      choice.innerHTML = `<input type="radio" name="mode" value="${mode}"> <span>${label}</span>`;
      modes.append(choice);
    }
    order.replaceChildren(...Object.entries(ORDERS).map(([value, label]) => new Option(label, value)));
  }
  modes.onchange = ({ target }) =>
    refine(listingOf((target as HTMLInputElement).value as Mode, orderOf(currentRefinement)));
  order.onchange = () => refine(listingOf(modeOf(currentRefinement), order.value as Order));
  order.value = orderOf(currentRefinement);
  for (const input of modes.querySelectorAll("input")) input.checked = input.value === modeOf(currentRefinement);
});
