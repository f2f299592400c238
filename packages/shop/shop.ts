import { type InstantResult, instantSearchClients } from "@relevance/instantsearch";
import instantsearch from "instantsearch.js";
import { singleIndex } from "instantsearch.js/es/lib/stateMappings";
import {
  clearRefinements,
  configure,
  currentRefinements,
  hits,
  pagination,
  panel,
  rangeInput,
  refinementList,
  stats,
  toggleRefinement,
} from "instantsearch.js/es/widgets";
import { basket } from "./basket.ts";
import { bookDialog } from "./book.ts";
import { cover } from "./cover.ts";
import { recommend, visitor } from "./recommend.ts";
import { searchField } from "./search-field.ts";
import { addressOf, type Book, priced, searching, tell } from "./services.ts";
import { LISTINGS, listingOf, listingSwitch, modeOf } from "./switch.ts";

/** A book as the templates of the shop answer it. */
type Found = Omit<Book, "id"> & { published: string; price: number; in_stock: boolean };

const LABELS: Readonly<Record<string, string>> = {
  ...{
    categories: "Subject",
    "author.keyword": "Author",
    language: "Language",
    price: "Price, €",
    in_stock: "Availability",
  },
};
const LANGUAGES = new Intl.DisplayNames("en", { type: "language" });

const { searchClient, insightsClient } = instantSearchClients(searching, LISTINGS, { clientId: visitor });
const indexName = listingOf("both", "best");
const search = instantsearch({
  ...{ indexName, searchClient, insights: { insightsClient } },
  routing: { stateMapping: singleIndex(indexName) },
});

/** The searches that books were opened from. */
const foundBy = new Map<string, string | undefined>();
const add = basket(insightsClient);

/** A filter's heading. Without a choice the filter is hidden. */
const headed = (attribute: string) => ({
  templates: { header: () => LABELS[attribute] ?? attribute },
  hidden: ({ canRefine }: { canRefine: boolean }) => !canRefine,
});

search.addWidgets([
  configure({ hitsPerPage: 12 }),
  searchField(),
  listingSwitch(),
  panel<typeof toggleRefinement>(headed("in_stock"))(toggleRefinement)({
    ...{ container: "#in-stock", attribute: "in_stock", on: "true", templates: { labelText: () => "In stock" } },
  }),
  panel<typeof refinementList>(headed("categories"))(refinementList)({
    ...{ container: "#categories", attribute: "categories", limit: 10, showMore: true, showMoreLimit: 40 },
  }),
  panel<typeof rangeInput>(headed("price"))(rangeInput)({ container: "#price", attribute: "price" }),
  panel<typeof refinementList>(headed("language"))(refinementList)({
    ...{ container: "#languages", attribute: "language" },
    transformItems: (items) => items.map((item) => ({ ...item, highlighted: LANGUAGES.of(item.value) ?? item.value })),
  }),
  panel<typeof refinementList>(headed("author.keyword"))(refinementList)({
    ...{ container: "#authors", attribute: "author.keyword", limit: 8 },
  }),
  currentRefinements({
    container: "#current",
    transformItems: (items) => items.map((item) => ({ ...item, label: LABELS[item.attribute] ?? item.attribute })),
  }),
  clearRefinements({ container: "#clear", templates: { resetLabel: () => "Clear filters" } }),
  stats({
    container: "#stats",
    templates: { text: ({ nbHits }) => (nbHits === 1 ? "1 book" : `${nbHits.toLocaleString("en")} books`) },
  }),
  hits<Found>({
    container: "#hits",
    templates: {
      item: (hit, { html, components, sendEvent }) => html`
        <a class="card" href=${addressOf(hit.objectID)} onclick=${() => {
          foundBy.set(hit.objectID, hit.__queryID);
          sendEvent("click", hit, "Book opened");
        }}>
          <img src=${cover(hit)} alt="" width="200" height="300" />
          <strong>${components.Highlight({ hit, attribute: "title" })}</strong>
          <span>${components.Highlight({ hit, attribute: "author" })}</span>
          <small>${hit.categories[0]}, ${hit.published.slice(0, 4)}</small>
          <small>${priced(hit.price)}${hit.in_stock ? "" : " · out of stock"}</small>
        </a>`,
      empty: ({ query }, { html }) => html`
        <p class="note">No book has all words of “${query}”. Try fewer words or filters, or search by words and meaning.</p>`,
    },
  }),
  pagination({ container: "#pagination", padding: 2 }),
]);

// On a phone the books come first.
if (matchMedia("(max-width: 56rem)").matches) document.querySelector(".filters")?.removeAttribute("open");

const problem = document.querySelector("#problem");
search.on("error", ({ error }) => tell(problem, error));
search.on("render", () => {
  if (search.status === "idle") problem?.replaceChildren();
  const { query, index } = search.helper?.state ?? {};
  // Who searches wants to see what was found.
  document.body.classList.toggle("searching", Boolean(query));
  document.body.classList.toggle("by-meaning", Boolean(query) && modeOf(index ?? "") !== "words");
  const { didYouMean } = (search.helper?.lastResults ?? {}) as Partial<InstantResult>;
  const told = didYouMean?.is_searched
    ? `No book has all words of “${query}”. These have “${didYouMean.text}”.`
    : didYouMean && `Did you mean “${didYouMean.text}”?`;
  document.querySelector("#meant")?.replaceChildren(told ?? "");
});
search.start();
bookDialog(
  () => recommend("for-you"),
  (line) => add({ ...line, queryID: foundBy.get(line.id) }),
);
recommend("for-you");
