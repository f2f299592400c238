import { connectSortBy } from "instantsearch.js/es/connectors";
import { LISTINGS, listingOf, MODES, type Mode, modeOf, ORDERS, type Order, orderOf } from "./listings.ts";

/** What a search compares, and the order of the books: both choose a listing, which is in the address. */
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
