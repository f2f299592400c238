import type { Listings } from "@relevance/instantsearch";

/** What a search compares, and how the page calls it. */
export const MODES = { both: "words and meaning", words: "words", meaning: "meaning" } as const;
export const ORDERS = { best: "Best first", cheapest: "Cheapest first", newest: "Newest first" } as const;

export type Mode = keyof typeof MODES;
export type Order = keyof typeof ORDERS;

/** Hits of all pages: what the templates' `from` and `size` allow, and the nearest neighbours that a search finds. */
const MOST = { words: 960, hybrid: 96 };

/** The name of a listing, which `sortBy` has in the address of the page. */
export const listingOf = (mode: Mode, order: Order) => (order === "best" ? mode : `${mode}-${order}`);

export const modeOf = (listing: string) => listing.split("-")[0] as Mode;
export const orderOf = (listing: string) => (listing.split("-")[1] ?? "best") as Order;

/** A listing for each mode and order, with the templates of conf.local/hybrid_search.yaml. */
export const LISTINGS: Listings = Object.fromEntries(
  (Object.keys(MODES) as Mode[]).flatMap((mode) =>
    (Object.keys(ORDERS) as Order[]).map((order) => [
      listingOf(mode, order),
      {
        index: "books",
        template: order === "best" ? "shop" : `shop_${order}`,
        ...(mode !== "words" && { hybridTemplate: order === "best" ? `shop_${mode}` : `shop_${order}_both` }),
        facets: {
          ...({ categories: "values", "author.keyword": "values", language: "values" } as const),
          ...({ in_stock: "values", price: "range" } as const),
        },
        most: mode === "words" ? MOST.words : MOST.hybrid,
      },
    ]),
  ),
);
