// A page by Vue InstantSearch. Its parts have the ids that the test looks for.
import { createApp, h } from "vue";
import {
  AisConfigure,
  AisHighlight,
  AisHits,
  AisInstantSearch,
  AisPagination,
  AisRefinementList,
  AisSearchBox,
} from "vue-instantsearch/vue3/es";
import { indexName, place, searchClient, tell } from "./instantsearch-shop.ts";

const item = ({ item: hit }: { item: { objectID: string } }) =>
  h("div", { "data-id": hit.objectID }, [h(AisHighlight, { hit, attribute: "name" })]);

const app = createApp({
  render: () =>
    h(AisInstantSearch, { indexName, searchClient }, () => [
      h(AisConfigure, { hitsPerPage: 5 }),
      h("div", { id: "search-box" }, [h(AisSearchBox)]),
      h("div", { id: "brand" }, [h(AisRefinementList, { attribute: "brand" })]),
      h("div", { id: "hits" }, [h(AisHits, null, { item })]),
      h("div", { id: "pagination" }, [h(AisPagination)]),
    ]),
});
app.config.errorHandler = tell;
app.mount(place);
