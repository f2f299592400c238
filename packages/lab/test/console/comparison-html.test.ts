import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { comparisonHtml } from "../../console/search/comparison-html.ts";
import { told } from "../../plots/page.ts";

const test = suite("pages of comparisons");

test("takes keys, signatures and passwords out of URLs, and leaves everything else", () => {
  for (const [text, safe] of [
    ["see https://ada:pw@shop.example/a?x-api-key=abc.", "see https://shop.example/a"],
    ["s3://b/k.png?X-Amz-Date=1&X-Amz-Signature=f0&w=9", "s3://b/k.png?X-Amz-Date=1&w=9"],
    ["https://h/?page=2&sig=1#access_token=x", "https://h/?page=2"],
    ["/a.png?w=9&sig=1 //ada:pw@h/a?jwt=x h.example/a#access_token=x&w=9", "/a.png?w=9 //h/a h.example/a&w=9"],
    ["https://h/?pass=1&Pwd=2&sas=3&sas_token=4&%73ig=5&compass=6", "https://h/&compass=6"],
    [
      "https://h/?u=https%3A%2F%2Fada%3Apw%40i%2Fa%3Fw%3D9%26sig%3Dx%26v%3D1&w=2",
      "https://h/?u=https%3A%2F%2Fi%2Fa%3Fw%3D9%26v%3D1&w=2",
    ],
    ["https://h/?u=a%253Fsig%253Dx", "https://h/?u=a"],
    ["R&D; #secret-garden; is this the key?", "R&D; #secret-garden; is this the key?"],
    ["https://h/token/keys?id=4 and a key=5, mail@h", "https://h/token/keys?id=4 and a key=5, mail@h"],
  ] as const) {
    assert.is(told(text), safe.replaceAll("&", "&amp;"));
  }
  assert.is(told(`<b title="x">'&`), "&lt;b title=&quot;x&quot;&gt;&#39;&amp;");
});

test("shows every column without scripts, and escapes whatever documents and people wrote", () => {
  const evil = `<script>alert(1)</script>"'`;
  const html = comparisonHtml({
    ...{
      query: evil,
      index: evil,
      isForUser: true,
      when: new Date("2026-01-02T03:04:05Z"),
      subqueries: [evil, "dense"],
    },
    columns: [
      {
        ...{ title: evil, settings: evil, total: evil, degraded: [evil], isFailed: false },
        hits: [
          {
            ...{ id: evil, title: evil, below: evil, score: 1 / 3, isOnlyHere: true },
            places: [{ rank: 2, isTied: true, score: 1 }, null],
          },
        ],
      },
      { title: "failed", settings: "", total: "", degraded: [], isFailed: true, hits: [] },
    ],
  });
  assert.not.match(html, /<script|onerror|http:|https:/);
  assert.match(html, "score 0.333");
  assert.match(html, /=2 · dense – · only here/);
  assert.match(html, "2026-01-02 03:04 UTC, for a user");
  assert.match(html, "This search failed.");
});

test.run();
