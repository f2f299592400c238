import * as assert from "uvu/assert";
import { type AuthHeaders, basicAuth } from "../../../../lib/search/opensearch/auth.ts";
import { suite } from "../../../suite.ts";

const test = suite("lib/search/opensearch/auth");

const header = (password: string) => `Basic ${Buffer.from(`u:${password}`).toString("base64")}`;

/** Basic authentication from these passwords, of which each read takes the next. */
function auth(passwords: string[]) {
  let reads = 0;
  const made = basicAuth(async () => {
    const password = passwords[Math.min(reads, passwords.length - 1)] ?? "";
    reads += 1;
    if (password === "") throw new Error("cannot be read");
    return { username: "u", password };
  });
  return {
    headers: async () => (await made.headers?.()) ?? {},
    renew: async (refused: AuthHeaders) => made.renew?.(refused),
    reads: () => reads,
  };
}

test("the secret is read once, and again after it could not be read", async () => {
  const { headers, reads } = auth(["", "a"]);
  assert.match((await headers().catch((error) => error)).message, "cannot be read");
  assert.equal([await headers(), await headers()], [{ authorization: header("a") }, { authorization: header("a") }]);
  assert.is(reads(), 2);
});

test("after a 401 it is read again, once for all calls that were refused with it", async () => {
  const { headers, renew, reads } = auth(["old", "new"]);
  const refused = await headers();
  assert.equal(await Promise.all([renew(refused), renew(refused)]), [true, true]);
  assert.equal([await headers(), reads()], [{ authorization: header("new") }, 2]);
  assert.is(await renew(refused), true);
  assert.is(reads(), 2);
});

test("an unchanged secret is no reason to send the call again", async () => {
  const { headers, renew } = auth(["same"]);
  assert.is(await renew(await headers()), false);
});

test.run();
