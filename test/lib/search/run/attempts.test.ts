import * as assert from "uvu/assert";
import type { ReadIfChanged } from "../../../../lib/platform/aws/versioned-documents.ts";
import { ApiError } from "../../../../lib/platform/http/error.ts";
import { deadlineIn } from "../../../../lib/platform/resilience/deadline.ts";
import { NO_EFFECTS } from "../../../../lib/search/rules/effects.ts";
import { attemptsOf, ruledSearches } from "../../../../lib/search/run/rules.ts";
import { withSynonyms } from "../../../../lib/search/stages/synonyms.ts";
import { synonymReader } from "../../../../lib/search/synonyms/document.ts";
import { suite } from "../../../suite.ts";

const test = suite("searches with rules and synonyms that the cluster refuses");

const QUERY = { match: { title: "sofa" } };
const effects = { ...NO_EFFECTS, filters: [{ term: { year: "soon" } }], hiddenIds: ["d1"] };

const read: ReadIfChanged = async () => ({
  text: JSON.stringify({
    ...{ version: 1, written_at: "", written_by: "ann" },
    content: { files: { "a.txt": ["sofa, couch"] } },
  }),
  etag: "1",
});

/** Sends two pages to a cluster that refuses some bodies. Returns the bodies, and what the answer lacks. */
async function sentTo(refuses: (body: string) => boolean) {
  const asked = { entry: { synonyms: { files: [{ file: "a.txt" }] } }, synonyms: undefined, locale: undefined };
  const rewritten = await withSynonyms(synonymReader(read), { ...asked, deadline: deadlineIn(1_000) }, QUERY);
  const ruled = ruledSearches(effects);
  const attempt = attemptsOf({ effects, ruled, rewritten }, QUERY, (own, query) =>
    [own.filters.length > 0 ? "rules" : "safe", ...(query === QUERY ? [] : ["synonyms"])].join(" "),
  );
  const pages: string[][] = [];
  const page = async () => {
    const sent: string[] = [];
    pages.push(sent);
    return attempt(async (body) => {
      sent.push(body);
      if (refuses(body)) throw new ApiError("rejected_by_cluster", `${body} refused`);
      return {};
    });
  };
  const failure = await page()
    .then(page)
    .then(
      () => undefined,
      ({ message }: Error) => message,
    );
  const lost = [...ruled.degraded(), ...rewritten.degraded()].map(({ stage }) => stage);
  return { pages, lost, failure };
}

test("leaves out what the cluster refuses, and nothing else, for all pages", async () => {
  const outcomes: ReadonlyArray<[refuses: (body: string) => boolean, outcome: object]> = [
    [() => false, { pages: [["rules synonyms"], ["rules synonyms"]], lost: [] }],
    [(body) => body.includes("synonyms"), { pages: [["rules synonyms", "rules"], ["rules"]], lost: ["synonyms"] }],
    [
      (body) => body.includes("rules"),
      { pages: [["rules synonyms", "rules", "safe synonyms"], ["safe synonyms"]], lost: ["rules"] },
    ],
    [
      (body) => body !== "safe",
      { pages: [["rules synonyms", "rules", "safe synonyms", "safe"], ["safe"]], lost: ["rules", "synonyms"] },
    ],
  ];
  for (const [refuses, outcome] of outcomes) assert.equal(await sentTo(refuses), { ...outcome, failure: undefined });
});

test("throws what a request gets without both, and blames neither, if the request itself is at fault", async () => {
  const { failure, lost } = await sentTo(() => true);
  assert.equal([failure, lost], ["safe refused", []]);
});

test.run();
