import { readFileSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { meanInterval } from "../../lib/platform/statistics/bootstrap.ts";
import { MODEL_FILE_NAMES } from "../../lib/search/embeddings/model-files.ts";
import { loadConfiguration } from "../../lib/settings/load.ts";
import { books } from "../../packages/demo-data/books.ts";
import { DEMO_INDEX, demoSchema } from "../../packages/local/dev/demo-index.ts";
import { DEMO_EMBEDDINGS } from "../../packages/local/dev/models.ts";
import { installModels, REAL_MODELS_ID } from "../../packages/local-models/neural/install.ts";
import { createModelProcess } from "../../packages/local-models/neural/model-process.ts";
import { createNeuralModels } from "../../packages/local-models/neural/models.ts";
import { readStored } from "../../packages/local-models/neural/stored-embeddings.ts";
import { measureMeaning } from "../e2e/meaning.ts";
import { ROOT } from "../fixtures/env.ts";
import { API_KEY, startGateway, startUpstreams } from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("hybrid search of the demo");

/** Part of the catalogue and of its queries. `test/e2e/console.test.ts` measures all of them. */
const SIZE = { books: 800, queries: 102 };

const entry = loadConfiguration(join(ROOT, "conf.local")).searchGateway?.hybridQueries.find(
  ({ index }) => index === DEMO_INDEX,
);

const installed = await installModels({ dir: join(ROOT, ".local") });
const running = createModelProcess(installed);
const stored = () => readStored(readFileSync(DEMO_EMBEDDINGS), REAL_MODELS_ID);
const models = await createNeuralModels(installed.folder, running, stored);
await startUpstreams({ dense: models, sparse: models });
test.after(async () => {
  running.stop();
  await stopStarted();
});

test("is better than keywords and than vectors alone by more than the interval, with the demo's weights", async () => {
  assert.ok(entry);
  const [cluster] = await clusters();
  assert.ok(cluster);
  const index = uniqueIndex("demo-meaning");
  const gateway = await startGateway({
    node: cluster.url,
    settings: { indexes: [{ ...entry, index }] },
    writeModelFiles: async (folder) => {
      for (const name of MODEL_FILE_NAMES) await copyFile(join(installed.folder, name), join(folder, name));
    },
  });
  const schema = demoSchema([entry], { dense_large_en_v1_5: 1024 });
  assert.is((await request(cluster, "PUT", `/${index}`, schema)).status, 200);
  const bulk_request = books(SIZE.books).map(({ id, ...doc }) => ({ id, op: "index", doc }));
  const stored = await gateway.post("/application/bulk", { index, refresh: true, bulk_request });
  assert.is(stored.body.index_response?.errors, false, stored.text.slice(0, 500));

  const variants = ["keywords", "dense", "all words and dense, tuned"];
  const { settings } = await measureMeaning({ url: gateway.url, key: API_KEY }, index, variants, SIZE);
  const [keywords, dense, hybrid] = settings.map(({ scores }) => scores["ndcg@10"]);
  assert.ok(keywords && dense && hybrid);
  const aboveDense = meanInterval(hybrid.values.map((value, at) => value - (dense.values[at] ?? 0)));
  const measured = JSON.stringify([keywords.mean, dense.mean, hybrid.mean, hybrid.difference, aboveDense]);
  assert.ok(hybrid.difference.low > 0.1, measured);
  assert.ok(aboveDense.low > 0, measured);
});

test.run();
