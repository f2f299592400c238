import * as assert from "uvu/assert";
import { textKey, wordsOf } from "../../lib/platform/words.ts";
import { clusters, request } from "../fixtures/opensearch.ts";
import { CUTS, SCRIPTS } from "../fixtures/scripts.ts";
import { suite } from "../suite.ts";

const test = suite("words and equal texts against the cluster's analysis");

for (const cluster of await clusters()) {
  /** Returns the tokens of each text. */
  const analyzed = async (analysis: object, texts: readonly string[]): Promise<string[]> => {
    const body = { tokenizer: "standard", ...analysis };
    const all = texts.map(async (text) => {
      const answer = await request<{ tokens: Array<{ token: string }> }>(cluster, "POST", "/_analyze", {
        ...body,
        text,
      });
      return answer.body.tokens.map(({ token }) => token).join(" ");
    });
    return await Promise.all(all);
  };

  for (const { script, analysis, equal, different } of SCRIPTS) {
    test(`equal are the texts that the cluster takes for equal: ${script} (${cluster.version})`, async () => {
      for (const [one, other, otherwise] of [...equal, ...different]) {
        const [first, second] = await analyzed(analysis, [one, other]);
        const isEqual = textKey(one) === textKey(other);
        assert.is(
          first === second,
          otherwise === undefined ? isEqual : !isEqual,
          `${one}, ${other}: ${first}, ${second}`,
        );
      }
    });
  }

  test(`words are those that the cluster cuts (${cluster.version})`, async () => {
    for (const [text, , otherwise] of CUTS) {
      const [tokens] = await analyzed({ filter: ["lowercase", "asciifolding"] }, [text]);
      assert.is(tokens === wordsOf(text).join(" "), otherwise === undefined, `${text}: ${tokens}`);
    }
  });
}

test.run();
