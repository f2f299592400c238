import { concurrently } from "../../../lib/platform/resilience/concurrently.ts";
import { bearer } from "../../fixtures/tokens.ts";
import { isAlike } from "../compare.ts";
import { SEED } from "../report.ts";
import { USER } from "../search/request.ts";
import { requestOf, type TokenSearch, tokenSearches } from "./searches.ts";
import { TENANTS, type TokenWorld } from "./world.ts";

/** Searches at a time. */
const PARALLEL = 6;

/** What a run came to. */
export interface TokenRun {
  /** Answers that show a document outside the filter, and that differ from those with the filter by hand. */
  outside: string[];
  different: string[];
  /** Searches that were answered, by endpoint. */
  answered: Record<string, number>;
}

/** Members of an answer that repeat the request. */
const ECHOED = new Set(["search_request_template", "search_request", "search_query", "user_query", "_explanation"]);

/** Members of a list that differ from search to search: times, shards that had no work, and how the filter is written. */
const CHANGING = new Set(["took", "skipped", "terminated_early", "_explanation"]);

interface Body {
  [member: string]: unknown;
  did_you_mean?: { text: string; is_searched: boolean };
}

/** Plays generated searches with tokens, and each again with the filter written by hand instead of in the token. */
export async function playTokens(world: TokenWorld, count: number): Promise<TokenRun> {
  const run: TokenRun = { outside: [], different: [], answered: {} };
  await concurrently(tokenSearches(count, SEED), PARALLEL, (search) => play(world, search, run));
  return run;
}

async function play({ gateway, indexes }: TokenWorld, search: TokenSearch, run: TokenRun): Promise<void> {
  const { endpoint, filter, isUserBound } = search;
  const { path, body } = requestOf(search, indexes);
  const user = isUserBound && { user_id: USER };
  const answer = await gateway.post<Body>(path, body, await bearer({ filter: filter.claim, ...user }));
  const told = () => `${JSON.stringify(filter.claim)} ${path} ${JSON.stringify(body)}`;
  const shown = JSON.stringify(answer.body, (key, value) => (ECHOED.has(key) ? undefined : value));
  const others = TENANTS.filter((tenant) => !filter.tenants.includes(tenant) && shown.includes(tenant));
  if (others.length > 0) run.outside.push(`${others} in ${shown.slice(0, 3_000)} of ${told()}`);
  if (answer.status === 200) run.answered[endpoint] = (run.answered[endpoint] ?? 0) + 1;
  if (endpoint === "suggest") return;
  // Without a token, another text is looked for in the titles of all tenants.
  const { text, is_searched } = answer.body.did_you_mean ?? {};
  const searched = { ...search, no_hits: "nothing" as const, ...(is_searched && text !== undefined && { text }) };
  const hand = requestOf(searched, indexes, filter.tenants);
  const byHand = await gateway.post<Body>(hand.path, hand.body, await bearer({ ...user }));
  if (answer.status === byHand.status && isAlike(listsIn(byHand.body), listsIn(answer.body))) return;
  const textOf = ({ status, body: one }: typeof answer) => `${status} ${JSON.stringify(listsIn(one)).slice(0, 1_500)}`;
  run.different.push(
    `${textOf(byHand)}\n  got ${textOf(answer)}\n  of ${told()}\n  by hand ${JSON.stringify(hand.body)}`,
  );
}

/** Returns the parts of an answer that do not tell of the request. */
function listsIn({ search_response, subqueries, results, result, error }: Body): unknown {
  const { content: [one] = [], isError } = (result ?? {}) as { content?: [{ text: string }]; isError?: boolean };
  const tool = !one || isError ? undefined : JSON.parse(one.text);
  return JSON.parse(
    JSON.stringify(
      {
        ...{ search_response, subqueries, hits: tool?.hits, total: tool?.total, isError, code: (error as Body)?.code },
        results: (results as Array<{ status: number; answer?: Body }>)?.map(({ status, answer }) => [
          status,
          answer?.search_response,
        ]),
      },
      (key, value) => (CHANGING.has(key) ? undefined : value),
    ),
  );
}
