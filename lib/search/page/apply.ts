import { type Deadline, deadlineWithin, withTimeout } from "../../platform/resilience/deadline.ts";
import type { Hit } from "./answer.ts";
import { type Change, type FoundHit, type ScoreParts, type Stage, type StageEffect, StageError } from "./stage.ts";

/** A hit of the window, with its score from stages. */
interface Entry extends FoundHit {
  score?: number;
}

/** The hits that stages work on, before the page is cut. */
export interface Window {
  entries: readonly Entry[];
  /** Identities of hits that stages added or hid. They must not appear below the window. */
  taken: ReadonlyMap<string, "added" | "hidden">;
  /** Returns the score of hits below the window; undefined if they keep the cluster's. */
  scoreBelow?: Stage["scoreBelow"];
}

/** Ranks of hits before and after a stage, from 1. */
type Moves = ReadonlyMap<Hit, { from: number; to: number }>;

/** A stage that has run. */
export interface Applied {
  window: Window;
  moves: Moves;
  /** How the stage scored each hit; undefined if it does not tell. */
  parts?: ReadonlyMap<Hit, ScoreParts>;
  report: StageEffect;
  /** Why the stage failed. Then the window is unchanged. */
  failure?: string;
}

/** Factor on a stage's budget, so that a stage which keeps its budget can report its own reason. */
const GRACE = 1.1;

/** Returns the identity of a hit among all indexes of a search. */
export const identityOf = ({ _index, _id }: Hit): string => `${_index}/${_id}`;

/**
 * Runs one stage on the window. If it fails, is late, or returns a list that does not contain each hit exactly once,
 * the window stays unchanged.
 */
export async function applied(stage: Stage, window: Window, deadline: Deadline): Promise<Applied> {
  const { entries } = window;
  const started = performance.now();
  const length = stage.effect === "reorders" ? Math.min(stage.window, entries.length) : entries.length;
  const head = entries.slice(0, length);
  const report = { name: stage.name, milliseconds: 0, moved: 0, added: 0, hidden: 0, failed: false };
  const milliseconds = () => Math.round(performance.now() - started);
  try {
    const budget = deadlineWithin(stage.budgetMs, deadline);
    const answer = await withTimeout(
      budget.remaining() * GRACE,
      () => stage.run(head.map(hitOf), budget),
      () => new StageError("it did not answer in time"),
    );
    const change = withoutTaken(answer, window.taken);
    if (!isSound(change, head, stage.effect)) {
      throw new StageError("it answered with something other than an order of its hits");
    }
    const moves = movesOf(change, head);
    const { order, hidden = [], outside = 0 } = change;
    const counts = {
      moved: moves.size,
      added: order.length + hidden.length - length,
      hidden: hidden.length,
      ...(outside > 0 && { outside }),
    };
    const after = { ...report, ...counts, milliseconds: milliseconds(), ...usageOf(change) };
    const changed = changedBy(stage, change, window, length);
    const parts = change.parts?.map((one, at) => [(changed.entries[at] as Entry).hit, one] as const);
    return { window: changed, moves, report: after, ...(parts && { parts: new Map(parts) }) };
  } catch (error) {
    const failure = error instanceof StageError ? error.message : `the stage ${stage.name} failed`;
    const after = { ...report, failed: true, milliseconds: milliseconds() };
    return {
      window,
      moves: new Map(),
      report: { ...after, ...(error instanceof StageError && usageOf(error)) },
      failure,
    };
  }
}

const usageOf = ({ usage }: Pick<StageEffect, "usage">): Pick<StageEffect, "usage"> => (usage ? { usage } : {});

const hitOf = ({ hit }: FoundHit): Hit => hit;

const isPlace = (one: number | FoundHit): one is number => typeof one === "number";

/** Removes added hits from a change that an earlier stage has already hidden or added. */
function withoutTaken(change: Change, taken: Window["taken"]): Change {
  const { order, scores } = change;
  const kept = order.map((one) => isPlace(one) || !taken.has(identityOf(one.hit)));
  if (!kept.includes(false)) return change;
  const isKept = (_: unknown, at: number) => kept[at] === true;
  return { ...change, order: order.filter(isKept), ...(scores && { scores: scores.filter(isKept) }) };
}

/**
 * Returns whether a change is valid: it contains each hit once, scores all or none, and adds or hides only if its stage
 * may.
 */
function isSound({ order, hidden = [], scores }: Change, head: readonly Entry[], effect: Stage["effect"]): boolean {
  const places = new Set<number>();
  for (const place of [...order.filter(isPlace), ...hidden]) {
    if (!(place in head) || places.has(place)) return false;
    places.add(place);
  }
  if (places.size !== head.length) return false;
  if (scores && (scores.length !== order.length || !scores.every(Number.isFinite))) return false;
  const added = order.flatMap((one) => (isPlace(one) ? [] : [one.hit]));
  if (added.length + hidden.length === 0) return true;
  const all = [...head.map(hitOf), ...added];
  // Without `_id`, a hit that the stage added could appear again below the window.
  if (effect === "reorders" || all.some(({ _id }) => _id === undefined)) return false;
  const known = new Set(head.map(({ hit }) => identityOf(hit)));
  return added.every((hit) => !known.has(identityOf(hit)) && known.add(identityOf(hit)));
}

function movesOf({ order }: Change, head: readonly Entry[]): Moves {
  const moved = [...order.entries()].filter(([to, from]) => isPlace(from) && from !== to) as Array<[number, number]>;
  return new Map(moved.map(([to, from]) => [(head[from] as Entry).hit, { from: from + 1, to: to + 1 }]));
}

function changedBy(stage: Stage, { order, hidden = [], scores }: Change, window: Window, length: number): Window {
  const { entries } = window;
  const taken = new Map(window.taken);
  for (const place of hidden) {
    const identity = identityOf((entries[place] as Entry).hit);
    // A hit added by a stage may also be below the window, whether it is hidden or not.
    if (!taken.has(identity)) taken.set(identity, "hidden");
  }
  for (const one of order) if (!isPlace(one)) taken.set(identityOf(one.hit), "added");
  const head = order.map((one, at): Entry => {
    const entry = isPlace(one) ? (entries[one] as Entry) : one;
    return scores ? { ...entry, score: scores[at] as number } : entry;
  });
  const scoreBelow = scores && stage.scoreBelow;
  const tail = entries
    .slice(length)
    .map((entry, at): Entry => (scoreBelow ? { ...entry, score: scoreBelow(length + at + 1) } : entry));
  return { entries: [...head, ...tail], taken, scoreBelow: scoreBelow ?? window.scoreBelow };
}
