import { type Finding, type Hit, isClose } from "../compare.ts";
import { isOwnOrder, pageOf } from "./body.ts";
import type { SearchRow } from "./dimensions.ts";

/** Whether a page has the hits of both variants: the search shows hits, and leaves the order to the gateway. */
export const isInterleaved = (row: SearchRow): boolean =>
  row.experiment === "interleave" && pageOf(row).size > 0 && !isOwnOrder(row);

/** The list of one variant, and its name. */
interface Team {
  name: string;
  list: readonly Hit[];
}

/**
 * Compares a page of interleaved hits: it has as many as that of one variant, which finds the same documents, and each once. On
 * the first page no team is more than one pick ahead, and each pick is the team's best that is left; of hits with one score any.
 */
export function interleavedPage(
  teams: readonly [Team, Team],
  got: readonly Hit[],
  picks: ReadonlyArray<string | null>,
  row: SearchRow,
  window: number,
): Finding[] {
  const { from, size } = pageOf(row);
  const ids = got.map(({ _id = "" }) => _id);
  const [{ list }] = teams;
  const known = new Set(list.map(({ _id }) => _id));
  const expected = list.slice(from, from + size).length;
  const isWhole = ids.length === expected && new Set(ids).size === ids.length && ids.every((id) => known.has(id));
  if (!isWhole) return [{ what: "interleaved hits", expected: { hits: expected }, got: ids }];
  if (from > 0) return [];
  const lists = teams.map((team) => ({ name: team.name, left: team.list.slice(0, window) }));
  const counts = new Map<string | null, number>();
  for (const [at, id] of ids.entries()) {
    const name = picks[at] ?? null;
    const picker = lists.find((one) => one.name === name);
    const pick = picker?.left.find(({ _id }) => _id === id);
    // Behind the windows follow hits that no team has picked.
    if (!picker && lists.every(({ left }) => left.length === 0)) return [];
    counts.set(name, (counts.get(name) ?? 0) + 1);
    const lead = Math.abs((counts.get(teams[0].name) ?? 0) - (counts.get(teams[1].name) ?? 0));
    const isBest = pick !== undefined && isClose(pick._score ?? 0, picker?.left[0]?._score ?? 0);
    const isFair = lead <= 1 || lists.some(({ left }) => left.length === 0);
    if (!isBest || !isFair) {
      const wanted = lists.map((one) => `${one.name}: ${one.left[0]?._id} ${one.left[0]?._score}`);
      return [{ what: `interleaved hit ${at + 1}`, expected: wanted, got: { id, team: name, lead } }];
    }
    for (const one of lists) one.left = one.left.filter(({ _id }) => _id !== id);
  }
  return [];
}
