import { join } from "node:path";
import * as assert from "uvu/assert";
import { writeDemoFiles } from "../../packages/demo-data/files.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import { call, type Services } from "./served-services.ts";
import type { Step, World } from "./world.ts";

/** Goes from the demo's files to recommendations after two trainings. */
export function recommending(step: Step, world: World, services: Services): void {
  const { project, data } = world;
  const user = data.readers[0]?.USER_ID ?? "";
  const recommend = (more: object = {}) =>
    call(services.recommendation, "/recommend-items-to-user", {
      user_id: user,
      limit: 10,
      filter_name: "",
      filter_value_dict: {},
      ...more,
    });

  step("upload-sample uploads the demo's files over HTTP, and no record is rejected", async () => {
    const files = await writeDemoFiles(data, join(project.folder, "demo"));
    const { url, key } = services.recommendation;
    const { out } = await project.succeeds(
      ...["upload-sample", "--users", files.users, "--items", files.items, "--interactions", files.interactions],
      ...["--api-host", url, "--api-key", key, "--json"],
    );
    const uploaded = JSON.parse(out);
    assert.match(JSON.stringify(uploaded), `"accepted":${data.interactions.length}`);
    assert.not.match(JSON.stringify(uploaded), /"rejected":[1-9]/);
  });

  step("train init creates campaigns that answer for a user, for an item, and in a user's order", async () => {
    const { out } = await project.succeeds("train", "--training-mode", "init", "--wait");
    assert.is(out.match(/the new version is active/g)?.length, 3, out);
    const forUser = await recommend();
    assert.is(forUser.status, 200, JSON.stringify(forUser.body));
    assert.is(forUser.body.degraded, undefined, JSON.stringify(forUser.body.degraded));
    assert.is(forUser.body.response?.items?.length, 10);
    const item_id = data.interactions[0]?.ITEM_ID;
    const like = await call(services.recommendation, "/recommend-items-to-item", {
      item_id,
      limit: 5,
      filter_name: "",
      filter_value_dict: {},
    });
    assert.equal([like.status, like.body.degraded, like.body.response?.items?.length], [200, undefined, 5]);
    const item_ids = data.books.slice(0, 20).map(({ id }) => id);
    const ranked = await call(services.recommendation, "/rank-items-to-user", { user_id: user, item_ids });
    assert.is(ranked.status, 200, JSON.stringify(ranked.body));
    assert.is(ranked.body.degraded, undefined);
    assert.equal(ranked.body.response?.items?.map(({ ITEM_ID }) => ITEM_ID).sort(), item_ids.toSorted());
  });

  step("a placement has its promotions, and says which of its versions answered", async () => {
    const { status, body } = await call(services.recommendation, "/recommend-for-placement", {
      placement: "home",
      user_id: user,
    });
    assert.equal([status, body.degraded], [200, undefined], JSON.stringify(body));
    const items = body.response?.items ?? [];
    assert.is(items.length, 8);
    assert.ok(items.filter(({ CATEGORIES = "" }) => CATEGORIES.split("|").includes("Fantasy")).length >= 2);
  });

  step("a filter excludes items of a user's events at once: they go to Personalize in real time", async () => {
    const before =
      (await recommend({ filter_name: "unseen" })).body.response?.items?.map(({ ITEM_ID }) => ITEM_ID) ?? [];
    const events = before.slice(0, 3).map((ITEM_ID) => ({
      USER_ID: user,
      ITEM_ID,
      EVENT_TYPE: "view",
      IMPRESSION: before.slice(0, 5),
    }));
    const logged = await call(services.recommendation, "/log-event", { events });
    assert.equal([logged.status, logged.body.response?.accepted, logged.body.degraded], [200, 3, undefined]);
    const after =
      (await recommend({ filter_name: "unseen" })).body.response?.items?.map(({ ITEM_ID }) => ITEM_ID) ?? [];
    assert.is(after.length, 10);
    for (const { ITEM_ID } of events) assert.not.ok(after.includes(ITEM_ID), `${ITEM_ID} was seen`);
  });

  step("a changed item and a changed user reach Personalize in real time", async () => {
    const [item] = data.books.map(({ id, title, author, categories }) => ({
      ITEM_ID: id,
      TITLE: `${title}, revised`,
      AUTHOR: author,
      CATEGORIES: categories.join("|"),
    }));
    const changes = [
      call(services.recommendation, "/update-items", { items: [item] }),
      call(services.recommendation, "/update-users", { users: [data.readers[0]] }),
    ];
    for (const { status, body } of await Promise.all(changes)) {
      assert.equal([status, body.degraded], [200, undefined], JSON.stringify(body));
    }
    const passedOn = () => {
      const { PutItems = 0, PutUsers = 0 } = world.personalize.control.counts();
      return PutItems > 0 && PutUsers > 0;
    };
    await waitFor(async () => passedOn(), { what: "PutItems and PutUsers", timeoutMs: 120_000 });
  });

  step("train update_dataset_group retrains with what was logged", async () => {
    const { out } = await project.succeeds("train", "--training-mode", "update_dataset_group", "--wait");
    assert.match(out, /user_personalization: the new version is (active|held back)/);
    const { status, body } = await recommend();
    assert.equal([status, body.degraded], [200, undefined], JSON.stringify(body));
  });
}
