import { setImmediate } from "node:timers/promises";
import * as assert from "uvu/assert";
import { checkQuotas, type QuotaReads } from "../../../cli/discovery/quotas.ts";
import { loggedSearchesPerSecond } from "../../../lib/infrastructure/delivery-streams.ts";
import { namesOf } from "../../../lib/platform/naming/names.ts";
import { configuration } from "../../fixtures/configurations/configurations.ts";
import { fullConfiguration } from "../../fixtures/configurations/every-option.ts";
import { changed, type Files, valid } from "../../lib/settings/example.ts";
import { suite } from "../../suite.ts";

const test = suite("discovery: quotas");

const { files } = configuration("all-options");
/**
 * The example reserves a concurrency of 100 and provisions instances. Its models are one ml.g5.xlarge and two
 * ml.c6i.2xlarge, at most four of each.
 */
const config = valid(files);

const reads = (concurrency: number, instances: Record<string, number> = {}): QuotaReads => ({
  concurrency: async () => concurrency,
  requestRate: async () => undefined,
  endpointInstances: async () => new Map(Object.entries({ "ml.g5.xlarge": 16, "ml.c6i.2xlarge": 16, ...instances })),
  usage: async () => ({}),
});
const names = namesOf({ project: "all-options", account: "123456789012", region: "eu-west-1" });
/** Leaves out the notes on throttles, which have tests of their own. */
const checked = async (...asked: Parameters<typeof checkQuotas>) =>
  (await checkQuotas(...asked)).filter((note) => !/default_throttle/.test(note));
const problems = (quotas: QuotaReads, of = config) =>
  checked(of, names, quotas).then(
    () => [],
    (error: { problems: string[] }) => error.problems,
  );

test("reports nothing when the quotas suffice", async () => {
  assert.equal(await checked(config, names, reads(1_000)), []);
});

test("rejects an account that cannot start the endpoints, naming the quota to raise", async () => {
  assert.equal(await problems(reads(1_000, { "ml.g5.xlarge": 0 })), [
    "model.yaml asks for 1 × ml.g5.xlarge, but the account may have 0 in endpoints: request more of the quota " +
      '"ml.g5.xlarge for endpoint usage" of SageMaker in Service Quotas, or choose another instance_type',
  ]);
});

test("counts the instances of a previous model beside those of the new one", async () => {
  const previous = { dense_large_en_v1_5: { initial_instance_count: 1, instance_type: "ml.g5.xlarge" } };
  const both = configuration("all-options", [["model.yaml", ["previous"], previous]]);
  const [problem = ""] = await problems(reads(1_000, { "ml.g5.xlarge": 1 }), both);
  assert.match(problem, "model.yaml asks for 2 × ml.g5.xlarge, but the account may have 1 in endpoints");
});

test("says the same in the same order, whichever answer comes first", async () => {
  const few = { "ml.g5.xlarge": 4, "ml.c6i.2xlarge": 4 };
  const open = valid(changed(files, "api.yaml", ["default_throttle"], undefined));
  const late: QuotaReads = { ...reads(1_000, few), concurrency: () => setImmediate(1_000) };
  const notes = await checkQuotas(open, names, reads(1_000, few));
  assert.ok(notes.length > 2);
  assert.equal(await checkQuotas(open, names, late), notes);
});

test("notes endpoints that could not be updated or could not scale to their maximum", async () => {
  const [update, scale, ...rest] = await checked(
    config,
    names,
    reads(1_000, { "ml.g5.xlarge": 3, "ml.c6i.2xlarge": 3 }),
  );
  assert.match(
    [update, scale].toSorted()[0] ?? "",
    "ml.c6i.2xlarge: an update runs old and new instances for some minutes, 4 together",
  );
  assert.match(
    [update, scale].toSorted()[1] ?? "",
    "ml.g5.xlarge: max_instance_count in model.yaml allows 4, but the account may have 3",
  );
  assert.equal(rest, []);
});

test("rejects reserved and provisioned concurrency that leaves the account fewer than 100", async () => {
  // 100 reserved for api-router, with its one provisioned instance, and one provisioned instance of log-handler.
  assert.equal(await checked(config, names, reads(201)), []);
  assert.match(
    (await problems(reads(200)))[0] ?? "",
    "ask for 101, but the account may run 200 functions at the same time, of which Lambda keeps 100",
  );
  const provisioned = valid(changed(files, "api.yaml", ["reserved_concurrency"], {}));
  assert.equal(await checked(provisioned, names, reads(102)), []);
  const refused = await checked(provisioned, names, reads(101)).catch((error) => error.problems);
  assert.match(refused[0], "ask for 2, but the account may run 101 functions at the same time");
});

test("only notes a new account's limit of ten concurrent functions if nothing is reserved", async () => {
  const free: Files = changed(
    changed(files, "api.yaml", ["reserved_concurrency"], {}),
    "api.yaml",
    ["provisioned_concurrency"],
    {},
  );
  const [note, ...rest] = await checked(valid(free), names, reads(10));
  assert.match(note ?? "", "Only 10 functions may run at the same time");
  assert.equal(rest, []);
});

test("skips the quotas that the credentials may not read, and says so", async () => {
  const denied = async () => {
    throw Object.assign(new Error("no"), { name: "AccessDeniedException" });
  };
  const notes = await checked(config, names, {
    ...{ concurrency: denied, requestRate: denied, endpointInstances: denied, usage: denied },
  });
  assert.equal(notes.map((note) => /may not call ([^,]+),/.exec(note)?.[1]).sort(), [
    "lambda:GetAccountSettings",
    "servicequotas:ListServiceQuotas",
    "servicequotas:ListServiceQuotas or apigateway:GET",
  ]);
});

const both = fullConfiguration("both services");
/** Reads of an account that uses this much of each kind and is short of nothing else. */
const using = (used: Awaited<ReturnType<QuotaReads["usage"]>>): QuotaReads => ({
  ...reads(1_000),
  usage: async (kinds) => Object.fromEntries(kinds.flatMap((kind) => (used[kind] ? [[kind, used[kind]]] : []))),
});
const some = (count: number, quota: number | undefined, ...more: string[]) => ({
  quota,
  names: [...Array.from({ length: count }, (_, index) => `other-${index}`), ...more],
});
const ofBoth = (used: Awaited<ReturnType<QuotaReads["usage"]>>) =>
  checked(both, names, using(used)).then(
    (notes) => ({ notes, problems: [] as string[] }),
    (error: { problems: string[] }) => ({ notes: [], problems: error.problems }),
  );

test("rejects a project that exceeds a quota of API Gateway; its existing resources need no room", async () => {
  assert.equal(await ofBoth({ apis: some(599, 600) }), {
    notes: [],
    problems: [
      "the account has 599 of 600 Regional APIs of API Gateway in this region, and the project needs 2 more: request more of this quota in Service Quotas, or remove some that nobody needs",
    ],
  });
  const ours = [names.api("search-gateway"), names.api("recommendation")];
  assert.equal(await ofBoth({ apis: some(598, 600, ...ours) }), { notes: [], problems: [] });
});

test("counts each key of api.yaml as a key and a usage plan for every service that it may call", async () => {
  const { problems } = await ofBoth({ usagePlans: some(0, 3), apiKeys: some(0, 3) });
  assert.equal(
    problems.map((problem) => /the project needs (\d+) more/.exec(problem)?.[1]),
    ["7", "7"],
  );
});

test("notes when little room is left", async () => {
  const { notes, problems } = await ofBoth({ usagePlans: some(290, 300) });
  assert.equal(notes, [
    "The account has 290 of 300 Usage plans of API Gateway in this region, and the project needs 7 more: few are left",
  ]);
  assert.equal(problems, []);
  assert.equal((await ofBoth({ usagePlans: some(293, 300) })).problems, [], "the last seven");
});

test("counts the dataset group and its schemas against the quotas of Personalize", async () => {
  const { problems } = await ofBoth({ datasetGroups: some(5, 5), schemas: some(498, undefined) });
  assert.equal(problems, [
    "the account has 5 of 5 active dataset groups of Personalize in this region, and the project needs 1 more: request more of this quota in Service Quotas, or remove some that nobody needs",
    "the account has 498 of 500 schemas of Personalize in this region, and the project needs 3 more: request more of this quota in Service Quotas, or remove some that nobody needs",
  ]);
  const deployed = some(4, 5, names.datasetGroup());
  assert.equal(await ofBoth({ datasetGroups: deployed, schemas: some(500, 500) }), { notes: [], problems: [] });
});

test("notes projects whose names overlap, since policies name resources by their start", async () => {
  const apis = [
    "all-options-search-gateway",
    "all-options-eu-recommendation",
    "all-search-gateway",
    "allo-search-gateway",
  ];
  const notes = await checked(config, names, {
    ...reads(1_000),
    usage: async () => ({ apis: { quota: 600, names: apis } }),
  });
  assert.equal(
    notes.map((note) => note.slice(0, 33)),
    ["Project all-options is in this ac", "Project all-options-eu is in this"],
  );
});

test("notes throttles that let more through than Lambda answers, with what would always hold", async () => {
  const throttled = (rate_limit: number, burst_limit: number) =>
    valid(changed(files, "api.yaml", ["default_throttle"], { rate_limit, burst_limit }));
  const notes = async (of = config) =>
    (await checkQuotas(of, names, reads(1_000))).filter((note) => /requests a second/.test(note));
  const [note, ...more] = await notes(throttled(200, 50));
  assert.is(
    note,
    "api_router: default_throttle lets 200 requests a second through, but 100 at the same time are answered " +
      "(reserved_concurrency.api_router), which suffices while a call takes less than 0.5 s on average. Beyond that callers " +
      "get 500 outcome_unknown. A rate_limit of 3.6 holds even if each call takes 28 s, the longest; choose one for your " +
      "usual call, and a burst_limit of at most 100",
  );
  assert.equal(more, []);
  assert.equal(await notes(throttled(3, 100)), []);
  assert.is((await notes(throttled(3, 101))).length, 1);
  const open = valid(changed(files, "api.yaml", ["default_throttle"], undefined));
  assert.match(
    (await notes(open))[0] ?? "",
    "without default_throttle API Gateway lets 10000 requests a second through",
  );
});

test("counts with the requests that API Gateway takes in this region", async () => {
  const notes = async (of: typeof config, rate: number) =>
    (await checkQuotas(of, names, { ...reads(1_000), requestRate: async () => rate })).filter((one) =>
      / a second/.test(one),
    );
  const open = valid(changed(files, "api.yaml", ["default_throttle"], undefined));
  assert.match(
    (await notes(open, 2_500))[0] ?? "",
    "api_router: without default_throttle API Gateway lets 2500 requests",
  );
  const limited = valid(changed(files, "api.yaml", ["default_throttle"], { rate_limit: 9_000, burst_limit: 50 }));
  assert.match(
    (await notes(limited, 2_500))[0] ?? "",
    "whatever default_throttle says, API Gateway lets 2500 requests",
  );
  const denied = Object.assign(new Error("no"), { name: "AccessDeniedException" });
  const found = await checkQuotas(open, names, { ...reads(1_000), requestRate: () => Promise.reject(denied) });
  assert.ok(found.some((one) => /API Gateway lets 10000 requests/.test(one)));
});

test("notes that more searches come through than Firehose takes into the request log, before Lambda's limit", async () => {
  const limited = (rate_limit: number) =>
    valid(changed(files, "api.yaml", ["default_throttle"], { rate_limit, burst_limit: 50 }));
  const notes = async (of: typeof config) =>
    (await checkQuotas(of, names, reads(1_000))).map((one) => one.split(":")[0]);
  assert.equal((await notes(limited(5_001))).slice(0, 2), ["request log", "api_router"]);
  assert.is((await notes(limited(5_000)))[0], "api_router");
  assert.equal(["eu-west-1", "eu-central-1"].map(loggedSearchesPerSecond), [5_000, 1_000]);
});

test.run();
