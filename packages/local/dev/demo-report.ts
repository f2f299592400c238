import type { DemoData } from "@relevance/demo-data/readers.ts";
import { RECIPE_KINDS } from "@relevance/lib/platform/contract/recommendation.ts";
import type { Recommendation } from "@relevance/lib/settings/configuration.ts";
import { waitFor } from "@relevance/processes/wait.ts";
import { DEMO_INDEX } from "./demo-index.ts";
import { commandLines, personalizedSearchExample, recommendationExamples, type SampleIds } from "./examples.ts";
import { gatewayClient, succeeded } from "./gateway-client.ts";
import type { DevState } from "./state-file.ts";

interface Recommended {
  response: { items: { ITEM_ID: string; TITLE?: string; CATEGORIES?: string }[] };
  degraded?: unknown[];
}

/** Allows for the API's cache, which remembers for some seconds that there is no campaign. */
const ANSWER_MS = 30_000;

const USER = "U0001";

/** Waits until recommendations come from a campaign. Throws LocalError with the last response on timeout. */
export async function untilAnswering({ url, api_key }: NonNullable<DevState["recommendation"]>): Promise<void> {
  const call = gatewayClient(url, api_key);
  let last = "no answer";
  await waitFor(
    async () => {
      const { status, body } = await call("POST", "/recommend-items-to-user", asked(5));
      last = `${status} ${JSON.stringify(body).slice(0, 500)}`;
      return status === 200 && (body as Recommended).degraded === undefined;
    },
    { what: "recommendations from a campaign", timeoutMs: ANSWER_MS, intervalMs: 250, context: () => last },
  );
}

/** Returns the taste and the recommendations of the demo's first reader, and commands to try next. */
export async function demoReport(
  { search, recommendation }: DevState & Required<Pick<DevState, "recommendation">>,
  { filters, solution }: Pick<Recommendation, "filters" | "solution">,
  data: DemoData,
): Promise<string> {
  const call = gatewayClient(recommendation.url, recommendation.api_key);
  const { response } = succeeded<Recommended>("recommending", await call("POST", "/recommend-items-to-user", asked(5)));
  const liked = favourites(data);
  const sample: SampleIds = { userId: USER, itemIds: data.books.slice(0, 3).map(({ id }) => id), category: liked[0] };
  const recipes = RECIPE_KINDS.filter((recipe) => solution.recipes[recipe] !== undefined);
  return [
    "",
    `Reader ${USER} has viewed most of ${liked.slice(0, 3).join(", ")}, and is recommended:`,
    ...response.items.map(({ TITLE = "", CATEGORIES = "" }) => `  ${TITLE}  (${CATEGORIES.replaceAll("|", ", ")})`),
    "",
    "Try:",
    ...commandLines(recommendation, recommendationExamples(recipes, sample, filters)),
    ...commandLines(search, [personalizedSearchExample(USER, DEMO_INDEX)]),
    "",
    "relevance status --local   shows what was trained, and the filters",
    "",
  ].join("\n");
}

const asked = (limit: number) => ({ user_id: USER, limit, filter_name: "", filter_value_dict: {} });

/** Returns the categories of the books that the reader viewed, the most frequent first. */
function favourites({ books, interactions }: DemoData): string[] {
  const categories = new Map(books.map(({ id, categories: [first = ""] }) => [id, first]));
  const counts = new Map<string, number>();
  for (const { USER_ID, ITEM_ID, EVENT_TYPE } of interactions) {
    if (USER_ID !== USER || EVENT_TYPE !== "view") continue;
    const category = categories.get(ITEM_ID) ?? "";
    counts.set(category, (counts.get(category) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1]).map(([category]) => category);
}
