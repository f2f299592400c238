import * as assert from "uvu/assert";
import { CONFIGURED_SYNONYMS } from "../../../../lib/search/synonyms/configured.ts";
import { parseSynonymLists } from "../../../../lib/search/synonyms/document.ts";
import { suite } from "../../../suite.ts";

const test = suite("changes of synonyms");

test("describes each changed list in one line", () => {
  const before = { files: { a: ["x, y", "p, q"], b: ["x, y"], c: ["x, y"], same: ["x, y"], order: ["1, 2", "3, 4"] } };
  const many = Array.from({ length: 5 }, (_, index) => `new ${index}, old ${index}`);
  const after = { files: { a: ["x, y", "p => q"], b: many, d: ["x, y"], same: ["x, y"], order: ["3, 4", "1, 2"] } };
  assert.equal(CONFIGURED_SYNONYMS.changesOf(before, after), [
    'Synonyms a: 1 added: "p => q"; 1 removed: "p, q"',
    'Synonyms b: 5 added: "new 0, old 0", "new 1, old 1", "new 2, old 2", and 2 more; 1 removed: "x, y"',
    "Synonyms c: removed",
    "Synonyms order: another order",
    "Synonyms d: new, with 1 rule",
  ]);
});

test("a document has no longer list than a file of the configuration", () => {
  const files = (rules: number) => ({ files: { "a.txt": Array.from({ length: rules }, () => "sofa => couch") } });
  assert.ok(parseSynonymLists(files(140_000)));
  assert.throws(() => parseSynonymLists(files(150_000)), "more characters than a list may have");
});

test.run();
