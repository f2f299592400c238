import * as assert from "uvu/assert";
import { checkQuotas, type QuotaReads } from "../../../cli/discovery/quotas.ts";
import { configuration } from "../../fixtures/configurations/configurations.ts";
import { changed, type Files, valid } from "../../lib/config/example.ts";
import { suite } from "../../suite.ts";

const test = suite("discovery: quotas");

const { files } = configuration("all-options");
/** The example reserves 100 and keeps instances; its models are one ml.g5.xlarge and two ml.c6i.2xlarge, four of each at most. */
const config = valid(files);

const reads = (concurrency: number, instances: Record<string, number> = {}): QuotaReads => ({
  concurrency: async () => concurrency,
  endpointInstances: async () => new Map(Object.entries({ "ml.g5.xlarge": 8, "ml.c6i.2xlarge": 8, ...instances })),
});
const problems = (quotas: QuotaReads) =>
  checkQuotas(config, quotas).then(
    () => [],
    (error: { problems: string[] }) => error.problems,
  );

test("quotas that suffice are not worth a word", async () => {
  assert.equal(await checkQuotas(config, reads(1_000)), []);
});

test("an account that cannot start the endpoints is refused, with the quota to ask for", async () => {
  assert.equal(await problems(reads(1_000, { "ml.g5.xlarge": 0 })), [
    "model.yaml asks for 1 instances of ml.g5.xlarge, but the account may have 0 in endpoints: request more of the quota " +
      '"ml.g5.xlarge for endpoint usage" of SageMaker in Service Quotas, or choose another instance_type',
  ]);
});

test("an endpoint that could not be updated, or not scale as far as it may, is a note", async () => {
  const [update, scale, ...rest] = await checkQuotas(config, reads(1_000, { "ml.g5.xlarge": 3, "ml.c6i.2xlarge": 3 }));
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

test("a reservation needs 100 unreserved functions besides", async () => {
  assert.equal(await checkQuotas(config, reads(200)), []);
  assert.match(
    (await problems(reads(199)))[0] ?? "",
    "asks for 100, but the account may run 199 functions at the same time",
  );
});

test("a new account with ten functions at the same time is a note, if nothing is reserved", async () => {
  const free: Files = changed(
    changed(files, "api.yaml", ["reserved_concurrency"], {}),
    "api.yaml",
    ["provisioned_concurrency"],
    {},
  );
  const [note, ...rest] = await checkQuotas(valid(free), reads(10));
  assert.match(note ?? "", "Only 10 functions may run at the same time");
  assert.equal(rest, []);
});

test("what the credentials may not read is not checked, and the plan says so", async () => {
  const denied = async () => {
    throw Object.assign(new Error("no"), { name: "AccessDeniedException" });
  };
  const notes = await checkQuotas(config, { concurrency: denied, endpointInstances: denied });
  assert.equal(notes.map((note) => /may not call (\S+),/.exec(note)?.[1]).sort(), [
    "lambda:GetAccountSettings",
    "servicequotas:ListServiceQuotas",
  ]);
});

test.run();
