/**
 * `make demo-embeddings`: computes the embeddings of the demo's texts by the real models, and writes the file from which a first
 * start takes them. Texts of 60 tokens take 30 ms each.
 */
import { join } from "node:path";
import { PACKAGE_FOLDER, workFolder } from "@relevance/lib/platform/folders.ts";
import { loadConfiguration } from "@relevance/lib/settings/load.ts";
import { installModels, REAL_MODELS_ID } from "@relevance/local-models/neural/install.ts";
import { createModelProcess } from "@relevance/local-models/neural/model-process.ts";
import { createNeuralModels } from "@relevance/local-models/neural/models.ts";
import { type TextEmbeddings, writeStored } from "@relevance/local-models/neural/stored-embeddings.ts";
import { replaceFile } from "@relevance/processes/files.ts";
import { demoTexts } from "./demo-index.ts";
import { DEMO_EMBEDDINGS } from "./models.ts";

const installed = await installModels({ dir: join(workFolder(), ".local"), onProgress: console.log });
const running = createModelProcess(installed);
const models = await createNeuralModels(installed.folder, running, () => () => undefined);
const { searchGateway } = loadConfiguration(join(PACKAGE_FOLDER, "conf.local"));

const texts = demoTexts(searchGateway?.hybridQueries ?? []);
const embeddings = new Map<string, TextEmbeddings>();
for (const text of texts) {
  embeddings.set(text, await models.compute(text));
  if (embeddings.size % 500 === 0) console.log(`${embeddings.size} of ${texts.length} texts`);
}
running.stop();
const content = writeStored(REAL_MODELS_ID, embeddings);
replaceFile(DEMO_EMBEDDINGS, content);
console.log(`${DEMO_EMBEDDINGS}: ${texts.length} texts, ${Math.round(content.length / 1_000)} kB`);
