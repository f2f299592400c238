import { instantSearchClients } from "@relevance/instantsearch";
import instantsearch from "instantsearch.js";
import {
  clearRefinements,
  configure,
  currentRefinements,
  hits,
  pagination,
  refinementList,
  stats,
} from "instantsearch.js/es/widgets";
import { bookDialog } from "./book.ts";
import { cover } from "./cover.ts";
import { recommend, visitor } from "./recommend.ts";
import { searchField } from "./search-field.ts";
import { type Book, searching, tell } from "./services.ts";

/** A book as the template `shop` answers it. */
type Found = Omit<Book, "id"> & { published: string };

const { searchClient, insightsClient } = instantSearchClients(
  searching,
  {
    books: {
      index: "books",
      template: "shop",
      facets: { categories: "values", "author.keyword": "values" },
      most: 960,
    },
  },
  { clientId: visitor },
);

const search = instantsearch({
  indexName: "books",
  searchClient,
  insights: { insightsClient },
  routing: true,
});

const open = bookDialog(() => recommend("for-you", open));

search.addWidgets([
  configure({ hitsPerPage: 12 }),
  searchField(),
  refinementList({ container: "#categories", attribute: "categories", limit: 10, showMore: true, showMoreLimit: 40 }),
  refinementList({ container: "#authors", attribute: "author.keyword", limit: 8 }),
  currentRefinements({
    container: "#current",
    transformItems: (items) =>
      items.map((item) => ({ ...item, label: item.attribute === "categories" ? "Subject" : "Author" })),
  }),
  clearRefinements({ container: "#clear", templates: { resetLabel: () => "Clear all" } }),
  stats({
    container: "#stats",
    templates: { text: ({ nbHits }) => (nbHits === 1 ? "1 book" : `${nbHits.toLocaleString("en")} books`) },
  }),
  hits<Found>({
    container: "#hits",
    templates: {
      item: (hit, { html, components, sendEvent }) => html`
        <button class="card" onclick=${() => {
          sendEvent("click", hit, "Book opened");
          open(hit.objectID);
        }}>
          <img src=${cover(hit)} alt="" width="200" height="300" />
          <strong>${components.Highlight({ hit, attribute: "title" })}</strong>
          <span>${components.Highlight({ hit, attribute: "author" })}</span>
          <small>${hit.categories[0]}, ${hit.published.slice(0, 4)}</small>
        </button>`,
      empty: ({ query }, { html }) =>
        html`<p class="note">No book has all words of “${query}”. Try fewer words, or fewer filters.</p>`,
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
  // Who searches wants to see what was found.
  document.body.classList.toggle("searching", Boolean(search.helper?.state.query));
});
search.start();
recommend("for-you", open);
