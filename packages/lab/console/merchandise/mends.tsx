import { entryFor } from "../search/mapping.ts";
import { hashOf, otherIndex, place, setup } from "../state.ts";
import { NEW_RULE } from "./rule.ts";

/** Links to a change of what a text finds in an index, filled in: those kinds that the index has. */
export function Mends({ query, index }: { query: string; index: string }) {
  if (!setup.value?.can.merchandise) return null;
  const to = (tab: string, rule: string) =>
    hashOf({ ...place.value, ...otherIndex(index), view: "merchandise", tab, rule, text: query, query });
  const links = [
    ...(entryFor(index)?.synonyms ? [["add a synonym", to("synonyms", "")] as const] : []),
    ...(setup.value.can.rules ? [["add a rule", to("rules", NEW_RULE)] as const] : []),
  ];
  return (
    <>
      {links.map(([title, href]) => (
        <a key={title} href={href}>
          {title}
          <span class="hidden"> for {query}</span>
        </a>
      ))}
    </>
  );
}
