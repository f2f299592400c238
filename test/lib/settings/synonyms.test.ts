import * as assert from "uvu/assert";
import { parseSynonymFile } from "../../../lib/settings/synonym-files.ts";
import { formatRule, parseRule } from "../../../lib/settings/synonyms.ts";
import { suite } from "../../suite.ts";
import { changed, fullExample, linesOf, valid } from "./example.ts";

const test = suite("lib/settings/synonyms");

test("reads Solr's format: comments, two-way and one-way rules, escapes", () => {
  const text = "\uFEFF# furniture\r\n\r\nsofa, couch,  settee \r\ntv, telly => television\na\\,b, c\\=>d\n\\#1, no 1\n";
  const { rules, problems } = parseSynonymFile("synonyms/a.txt", text);
  assert.equal(problems, []);
  assert.equal(rules, ["sofa, couch, settee", "tv, telly => television", "a\\,b, c\\=>d", "\\#1, no 1"]);
  for (const rule of rules) assert.is(formatRule(parseRule(rule) as never), rule);
  assert.equal(parseRule("a\\,b, c\\=>d"), { from: ["a,b", "c=>d"], to: ["a,b", "c=>d"] });
});

test("reads rows of synonyms, and one-way rows after a header", () => {
  const groups = parseSynonymFile("a.csv", 'sofa,couch,\n\n"crime, true",thriller\n');
  assert.equal(groups, { rules: ["sofa, couch", "crime\\, true, thriller"], problems: [] });
  const oneWay = parseSynonymFile("a.CSV", "From;To\ntv;television;flat screen\n");
  assert.equal(oneWay, { rules: ["tv => television, flat screen"], problems: [] });
});

test("reports each wrong line", () => {
  const many = Array.from({ length: 32 }, (_, index) => `s${index}`).join(", ");
  const text = `sofa\na => b => c\n=> b\na =>\n&, and\n${"w ".repeat(11)}, x\n${"w".repeat(201)}, x\n${many}\nsofa, couch`;
  const { rules, problems } = parseSynonymFile("a.txt", text);
  assert.equal(rules, ["sofa, couch"]);
  assert.equal(problems, [
    { line: 1, message: "has one text: separate synonyms with commas" },
    { line: 2, message: "has => twice" },
    { line: 3, message: "has nothing to search for" },
    { line: 4, message: "has nothing that it finds" },
    { line: 5, message: 'has "&", in which there is no word' },
    { line: 6, message: "has a text of 11 words; at most 10 are allowed" },
    { line: 7, message: "has a text of 201 characters; at most 200 are allowed" },
    { line: 8, message: 'gives "s0" 31 synonyms; a search tries at most 30' },
  ]);
  assert.equal(
    parseSynonymFile("a.csv", 'sofa,couch\n"a,b\n').problems.map(({ line }) => line),
    [2],
  );
  assert.match(parseSynonymFile("a.txt", "a".repeat(2_000_001)).problems[0]?.message ?? "", /is it the right file/);
});

test("a configuration names each problem by file and line", () => {
  const files = fullExample();
  const file = "synonyms/products.en.txt";
  assert.equal(valid(files).searchGateway?.synonyms, {
    [file]: ["sofa, couch, settee", "tv => television, flat screen"],
  });
  assert.equal(linesOf({ ...files, [file]: "# nothing\nsofa\n" }), [
    `conf/${file}:2  has one text: separate synonyms with commas`,
  ]);
  const { [file]: _, ...absent } = files;
  assert.match(
    linesOf(absent).join(),
    /hybrid_search\.yaml:\d+ .*files\[0\]\.file +"synonyms\/products\.en\.txt" does not exist/,
  );
  const twice = [{ file }, { file, locale: "en" }];
  const path = ["hybrid_queries", 0, "synonyms", "files"];
  assert.match(
    linesOf(changed(files, "hybrid_search.yaml", path, twice)).join(),
    /files\[1\]\.file +".+" appears twice/,
  );
  const settings = { files: [{ file, locale: "de" }, { file: "b.txt" }], default_locale: "en-GB" };
  const wrong = linesOf(changed({ ...files, "b.txt": "a, b" }, "hybrid_search.yaml", path.slice(0, 3), settings));
  assert.match(wrong.join(), /default_locale +"en-GB" is the locale of no file/);
  const outside = [{ file: "../secrets.txt" }];
  assert.match(
    linesOf(changed(files, "hybrid_search.yaml", path, outside)).join(),
    /must be the path of a file in this folder/,
  );
});

test.run();
