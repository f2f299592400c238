import * as assert from "uvu/assert";
import { CheckCounter, totalOf } from "../../../../lib/recommendation/etl/event-checks.ts";
import { eventHash } from "../../../../lib/recommendation/etl/event-hash.ts";
import { popularItems, shardItems } from "../../../../lib/recommendation/etl/popular-items.ts";
import { suite } from "../../../suite.ts";

const test = suite("what training asks for");

test("adds up a user's events over the shards", () => {
  const shards = [0, 1].map(() => {
    const counter = new CheckCounter({ name: "all" });
    counter.add("U1", "view", "");
    return counter.sample();
  });
  assert.equal(totalOf("all", shards), { name: "all", interactions: 2, users: 1, users_with_two: 1, exact: true });
});

test("takes an event without a value for one below every threshold", () => {
  const counter = new CheckCounter({ name: "r", event_value_threshold: -1 });
  counter.add("U1", "view", "");
  counter.add("U1", "view", "-1");
  assert.is(counter.sample().interactions, 1);
});

test("projects the number of users when there are many, within 10 %", () => {
  const shards = [0, 1, 2, 3].map((shard) => {
    const counter = new CheckCounter({ name: "all" });
    for (let user = 0; user < 50_000; user += 1) {
      // Every user has one event, every fifth another one in another shard.
      if (user % 4 === shard || (user % 5 === 0 && (user + 1) % 4 === shard)) counter.add(`U${user}`, "view", "");
    }
    return counter.sample();
  });
  const { users, users_with_two, exact } = totalOf("all", shards);
  assert.not(exact);
  assert.ok(Math.abs(users - 50_000) < 5_000, `${users}`);
  assert.ok(Math.abs(users_with_two - 10_000) < 2_000, `${users_with_two}`);
  assert.ok(shards.every((shard) => shard.users.length <= 1_000));
});

test("projects from users that every shard lists: a small shard's do not count twenty-fold", () => {
  const shards = [900, 50_000].map((count, shard) => {
    const counter = new CheckCounter({ name: "all" });
    for (let user = 0; user < count; user += 1) counter.add(`shard ${shard} user ${user}`, "view", "");
    return counter.sample();
  });
  const { users } = totalOf("all", shards);
  assert.ok(Math.abs(users - 50_900) < 5_000, `${users}`);
});

test("lists exactly the users of the lowest hashes, with all their events, however many came in between", () => {
  const counter = new CheckCounter({ name: "all" });
  const ids = Array.from({ length: 30_000 }, (_, user) => `user-${user}-of-a-long-name`);
  const second = ids.filter((_, user) => user % 3 === 0);
  for (const id of [...ids, ...second]) counter.add(id, "view", "");
  const sorted = ids.toSorted((a, b) => eventHash(a) - eventHash(b));
  const expected = sorted.slice(0, 1_000).map((id) => [id, second.includes(id) ? 2 : 1]);
  const { users, below, interactions } = counter.sample();
  assert.equal(users.toSorted(), expected.toSorted());
  assert.is(below, eventHash(sorted[1_000] ?? ""));
  assert.is(interactions, 40_000);
});

test("knows 24 users with two events from 25, spread over shards as they are", () => {
  for (const pairs of [24, 25]) {
    const shards = [0, 1].map((shard) => {
      const counter = new CheckCounter({ name: "all" });
      for (let user = 0; user < 500; user += 1) if (shard === 0 || user < pairs) counter.add(`U${user}`, "view", "");
      return counter.sample();
    });
    assert.is(totalOf("all", shards).users_with_two, pairs);
  }
});

test("the popular items of shards add up, equal ones in the order of their ids", () => {
  const one = shardItems(
    new Map([
      ["a", 1],
      ["c", 2],
    ]),
  );
  const two = shardItems(
    new Map([
      ["b", 1],
      ["c", 1],
    ]),
  );
  assert.equal(popularItems([two, one]), [
    { item_id: "c", events: 3 },
    { item_id: "a", events: 1 },
    { item_id: "b", events: 1 },
  ]);
});

test("a thousand popular items are kept", () => {
  const counts = new Map(Array.from({ length: 5_000 }, (_, index) => [`B${index}`, 5_000 - index]));
  const items = popularItems([shardItems(counts)]);
  assert.equal([items.length, items.at(-1)?.item_id], [1_000, "B999"]);
});

test.run();
