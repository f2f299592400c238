import { parseRules } from "@relevance/lib/search/rules/document.ts";
import { parseSynonymFile } from "@relevance/lib/settings/synonym-files.ts";
import * as assert from "uvu/assert";
import { parse } from "yaml";
import { suite } from "../../../../test/suite.ts";
import { rulesIn, withRules, writtenRule } from "../../server/rules-file.ts";
import { withSynonyms } from "../../server/synonyms-file.ts";

const test = suite("files that the console changes");

const RULES = `# Ours.
rules: # all of them
  # Until Christmas.
  - name: first
    effects: { redirect: /first } # short
  -
    name: second

    effects:
      data: {a: 1}

  # For lamps.
  - name: third
    when: { text: { is: [lamp] } }
    effects: { hide: { ids: [x] } }
# The end.
`;
const added = { name: "fourth", when: { text: { is: ["ä: b"] } }, effects: { pin: [{ id: "1", place: 2 }] } };

test("adds, replaces and takes away rules, and keeps every other line with its comments", () => {
  const rules = rulesIn(RULES) ?? [];
  const [first, second, third] = rules as [object, object, object] as [never, never, never];
  assert.is(withRules(RULES, rules), RULES);
  const without = withRules(RULES, [first, third]);
  assert.is(without, RULES.replace(/ {2}-\n {4}name: second[\s\S]*?a: 1}\n/, ""));
  const more = withRules(RULES, [...rules, added]) ?? "";
  const written =
    '  - name: fourth\n    when:\n      text:\n        is:\n          - "ä: b"\n    effects:\n      pin:\n        - id: "1"\n          place: 2\n';
  assert.is(more, RULES.replace("# The end.", `${written}# The end.`));
  const replaced = withRules(RULES, [first, { name: "second", effects: { data: {} } }, third]) ?? "";
  assert.match(replaced, /# short\n {2}- name: second\n {4}effects:\n {6}data: {}\n\n {2}# For lamps\.\n/);
  assert.equal(parse(withRules(RULES, [third, first, second]) ?? "").rules, [third, first, second]);
  assert.match(withRules(RULES, []) ?? "", /^# Ours\.\nrules: \[\]\n/);
});

test("adds the first rule to an empty list, in every way that it is written", () => {
  for (const text of ["rules: []\n", "rules: []", "# a\nrules:    [ ] # b\nother: 1\n", "rules:\n  []\n"]) {
    const after = withRules(text, [added]);
    assert.equal(parse(after ?? "").rules, [added], text);
  }
  for (const text of ["", "rules:\n", "# rules: []\n", "other: 1\n"]) assert.is(withRules(text, [added]), undefined);
  const flow = withRules('rules: [{ name: a, effects: { redirect: "/" } }]\n', [added]);
  assert.equal(parse(flow ?? "").rules, [added]);
  const unindented = "rules:\n- name: a\n  effects: {redirect: /a}\n- name: b\n  effects: {redirect: /b}\n";
  assert.is(
    withRules(unindented, (rulesIn(unindented) ?? []).slice(1)),
    "rules:\n- name: b\n  effects: {redirect: /b}\n",
  );
});

test("writes the rules of a version as people do, and takes those of the file for the same", () => {
  const rules = parseRules({ rules: rulesIn(RULES) });
  assert.is(withRules(RULES, rules.map(writtenRule)), RULES);
});

test("adds and takes away synonyms, and keeps comments and other lines", () => {
  const text = "# Sofas.\nsofa, couch\ntv,telly=>television\n";
  const { rules } = parseSynonymFile("a.txt", text);
  assert.is(withSynonyms("a.txt", text, rules), text);
  assert.is(withSynonyms("a.txt", text, ["tv, telly => television", "a, b"]), "# Sofas.\ntv,telly=>television\na, b\n");
  assert.is(withSynonyms("a.txt", "", ["crime\\, true, true crime"]), "crime\\, true, true crime\n");
});

test("writes rows of a CSV, and says so if that cannot say a rule", () => {
  assert.is(withSynonyms("a.csv", "sofa;couch\r\n", ["sofa, couch", "a, b"]), "sofa;couch\r\na;b\r\n");
  assert.is(withSynonyms("a.csv", "sofa,couch\n", ["sofa, couch", "a => b"]), undefined);
  assert.is(withSynonyms("a.csv", "from,to\ntv,telly\n", ["a => b, c"]), "from,to\na,b,c\n");
  assert.is(withSynonyms("a.csv", "from,to\n", ["a, b"]), undefined);
});

test.run();
