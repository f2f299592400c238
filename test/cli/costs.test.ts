import * as assert from "uvu/assert";
import { monthUnder } from "../../cli/costs/month.ts";
import { suite } from "../suite.ts";
import { runHere } from "./run-here.ts";

const test = suite("relevance costs");

test("adds the load to what runs all the time", () => {
  const stacks = [{ aws_kms_key: { key: {} } }];
  const of = (load: Parameters<typeof monthUnder>[2]) =>
    new Map(monthUnder({ recommendation: undefined }, stacks, load).usage.map(({ what, amount }) => [what, amount]));
  const idle = of({ searches: 0, documents: 0, users: 5_000 });
  assert.equal([idle.get("KMS key"), idle.get("requests of API Gateway")], [1, 0]);
  const busy = of({ searches: 1_000_000, documents: 2_000_000, users: 0 });
  // 1,000,000 searches and 4,000 requests of 500 documents.
  assert.is(busy.get("requests of API Gateway"), 1_004_000);
  // 50 ms for a search, 2 s for 500 documents, at 1,769 MB.
  assert.is(busy.get("gigabyte-seconds of functions"), (50_000 + 8_000) * (1_769 / 1_024));
  assert.is(busy.get("gigabytes to the internet"), 10_000_000 / 1_048_576);
});

test("prints amounts where no prices can be read, and refuses what is no number", async () => {
  const env = { AWS_ENDPOINT_URL: "http://127.0.0.1:9" };
  const { code, out, err } = await runHere(["costs", "--conf", "conf.local", "--users", "100k", "--json"], env);
  assert.is(code, 0, err);
  const { parts, without } = JSON.parse(out);
  const amountOf = (named: string) => parts.find(({ what }: { what: string }) => what === named)?.amount;
  assert.is(amountOf("requests of API Gateway"), 3_000_000);
  assert.ok(
    without.some((what: string) => /: at least 730 TPS-hours/.test(what)),
    without.join(),
  );
  assert.is((await runHere(["costs", "--conf", "conf.local", "--users", "many"], env)).code, 2);
});

test.run();
