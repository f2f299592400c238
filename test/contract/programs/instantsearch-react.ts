// A page by React InstantSearch. Its parts have the ids that the test looks for.
import { createElement, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import {
  Configure,
  Highlight,
  Hits,
  InstantSearch,
  Pagination,
  RefinementList,
  SearchBox,
  useInstantSearch,
} from "react-instantsearch";
import { indexName, place, searchClient, tell } from "./instantsearch-shop.ts";

const part = (id: string, ...parts: ReactNode[]) => createElement("div", { id }, ...parts);

const hitComponent = ({ hit }: { hit: { objectID: string } }) =>
  createElement("div", { "data-id": hit.objectID }, createElement(Highlight, { hit, attribute: "name" }));

function Errors() {
  const { error } = useInstantSearch({ catchError: true });
  if (error) tell(error);
  return null;
}

createRoot(place).render(
  createElement(
    InstantSearch,
    { indexName, searchClient },
    createElement(Errors),
    createElement(Configure, { hitsPerPage: 5 }),
    part("search-box", createElement(SearchBox)),
    part("brand", createElement(RefinementList, { attribute: "brand" })),
    part("hits", createElement(Hits, { hitComponent })),
    part("pagination", createElement(Pagination)),
  ),
);
