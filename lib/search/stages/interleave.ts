import { pointOf } from "../../platform/experiments/assignment.ts";
import { teamDraft } from "../../platform/experiments/team-draft.ts";
import { seeded } from "../../platform/statistics/random.ts";
import { type Hit, hitTexts } from "../page/answer.ts";
import { identityOf } from "../page/apply.ts";
import type { SearchPage } from "../page/native-page.ts";
import { type FoundHit, type Stage, StageError } from "../page/stage.ts";

/** Milliseconds for the search of the second list. */
const BUDGET_MS = 10_000;

interface Interleaved {
  experiment: string;
  /** Names of the two variants. The first one's window is used. */
  teams: readonly [string, string];
  /** Searches with the second variant. */
  searchOther: SearchPage;
  /** User and query. They seed the coin tosses, so that all pages of a search agree. */
  identity: string;
  window: number;
}

/** Returns the stage that interleaves the lists of two variants, and the variant that each hit came from. */
export function interleaveStage({ experiment, teams, searchOther, identity, window }: Interleaved): {
  stage: Stage;
  teamOf: (hit: Hit) => string | null;
} {
  const teamByHit = new Map<string, string>();
  const run: Stage["run"] = async (hits) => {
    const answer = await searchOther({ from: 0, size: window }, { aggregate: false });
    if (answer.partial.length > 0) throw new StageError("the hits of the other variant are not complete");
    const texts = hitTexts(answer);
    const others = new Map<string, FoundHit>();
    for (const [at, hit] of answer.hits.entries()) others.set(identityOf(hit), { hit, text: texts[at] ?? "" });
    const own = new Map(hits.map((hit, at) => [identityOf(hit), at]));
    const random = seeded(Math.floor(pointOf(experiment, identity) * 2 ** 32));
    const picks = teamDraft([[...own.keys()], [...others.keys()]], random);
    const order = picks.map(({ id }) => own.get(id) ?? (others.get(id) as FoundHit));
    for (const { id, team } of picks) teamByHit.set(id, teams[team]);
    return { order };
  };
  const values = {
    window,
    budgetMs: BUDGET_MS,
    effect: "adds or hides",
    lost: "hits are those of one variant",
  } as const;
  return {
    stage: { name: "interleaving", ...values, told: false, run },
    teamOf: (hit) => teamByHit.get(identityOf(hit)) ?? null,
  };
}
