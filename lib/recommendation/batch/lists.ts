import * as v from "valibot";
import { UNLIMITED } from "../../platform/http/access.ts";
import { ApiError } from "../../platform/http/error.ts";
import { concurrently } from "../../platform/resilience/concurrently.ts";
import { deadlineIn } from "../../platform/resilience/deadline.ts";
import { recommendForPlacement } from "../placements/recommend.ts";
import type { PlacementServices } from "../placements/visit.ts";
import { answeredCampaigns, type BatchAnswers } from "./questions.ts";
import type { Shelves } from "./shelves.ts";

/** A line that Personalize writes. Source: "Batch inference job input and output JSON examples", developer guide. */
const Line = v.object({
  input: v.object({ userId: v.string() }),
  output: v.nullish(v.object({ recommendedItems: v.array(v.string()) })),
  error: v.nullish(v.string()),
});

/** Names of the kinds of lines on the shelves. */
export const USERS = "users";
export const answersTo = (question: number): string => `answers-${question}`;

/** Writes a line of a job's output to the file of its user. */
export function shelve(shelves: Shelves, question: number, text: string): void {
  const { input, output, error } = v.parse(Line, JSON.parse(text));
  shelves.add(
    answersTo(question),
    input.userId,
    JSON.stringify([input.userId, output?.recommendedItems ?? error ?? ""]),
  );
}

const Shelved = v.tuple([v.string(), v.union([v.array(v.string()), v.string()])]);

/** Users whose lists are made at the same time. */
const PARALLEL = 16;
const LIST_MS = 60_000;

export interface Made {
  users: number;
  /** Lists that lack something, and users without a list. */
  degraded: number;
  failed: number;
}

interface Making {
  services: Omit<PlacementServices, "campaigns">;
  placement: string;
  shelves: Shelves;
  /** The keys of the questions, in the order of the jobs. */
  questions: readonly string[];
  /** Called with the JSON of each list. */
  write: (line: string) => void;
}

/** Makes the list of each user by the code that answers requests, with the jobs' output in place of the campaign. */
export async function makeLists({ services, placement, shelves, questions, write }: Making): Promise<Made> {
  let answers: BatchAnswers = () => [];
  const all = { ...services, campaigns: answeredCampaigns(() => answers) };
  const made: Made = { users: 0, degraded: 0, failed: 0 };
  let shelf = 0;
  for (const lines of shelves.read(USERS)) {
    answers = answersOn(shelves, shelf, questions);
    shelf += 1;
    const results = await concurrently([...new Set(lines)], PARALLEL, async (userId) => ({
      userId,
      ...(await listFor(all, placement, userId)),
    }));
    for (const { userId, ...result } of results) {
      made.users += 1;
      if ("error" in result) made.failed += 1;
      else if (result.degraded) made.degraded += 1;
      write(JSON.stringify({ user_id: userId, ...result }));
    }
  }
  return made;
}

/** Reads one shelf. Ids are kept once, since the same items are recommended to many users. */
function answersOn(shelves: Shelves, shelf: number, questions: readonly string[]): BatchAnswers {
  const ids = new Map<string, string>();
  const known = (id: string) => {
    const kept = ids.get(id);
    if (kept === undefined) ids.set(id, id);
    return kept ?? id;
  };
  const byQuestion = new Map(
    questions.map((question, number) => {
      const entries = shelves.linesOf(answersTo(number), shelf).map((line) => v.parse(Shelved, JSON.parse(line)));
      return [
        question,
        new Map(entries.map(([user, found]) => [user, Array.isArray(found) ? found.map(known) : found])),
      ];
    }),
  );
  return (question, userId) => {
    const found = byQuestion.get(question)?.get(userId);
    if (Array.isArray(found)) return found;
    throw new Error(found || "the batch inference job has no line for the user");
  };
}

const Answer = v.object({
  response: v.looseObject({ items: v.array(v.unknown()) }),
  degraded: v.optional(v.unknown()),
});

async function listFor(services: PlacementServices, placement: string, userId: string) {
  const body = { placement, user_id: userId };
  const call = { requestId: "batch", caller: UNLIMITED, headers: {}, deadline: deadlineIn(LIST_MS), body, text: "" };
  try {
    const { body: text } = await recommendForPlacement(services, call);
    const { response, degraded } = v.parse(Answer, JSON.parse(String(text)));
    const { recommendation_id: _, ...rest } = response;
    return { ...rest, ...(degraded !== undefined && { degraded }) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { error: { code: error.code, message: error.message } };
  }
}
