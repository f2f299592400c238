import { createReadStream } from "node:fs";
import { join } from "node:path";
import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { workFolder } from "../lib/platform/folders.ts";
import { visible } from "../lib/platform/visible.ts";
import { ModelFilesError } from "../lib/search/embeddings/model-files.ts";
import { loadConfiguration } from "../lib/settings/load.ts";
import { ConfigurationError } from "../lib/settings/problem.ts";
import { uploadModelData } from "./model-data.ts";
import { syncModelFiles } from "./models.ts";

const log = (line: string) => console.log(line);

/**
 * `make models`, with the variables HUB and REVISION; with UPLOAD, a configuration folder, it fills the S3 prefixes of its
 * model.yaml instead. Exits with code 1 and advice if files cannot be downloaded or differ.
 */
try {
  const { HUB, REVISION, UPLOAD } = process.env;
  if (UPLOAD) await upload(UPLOAD, HUB || undefined);
  else await sync(HUB, REVISION);
} catch (error) {
  if (!(error instanceof ModelFilesError || error instanceof ConfigurationError)) throw error;
  console.error(visible(error.message));
  process.exitCode = 1;
}

async function sync(hub: string | undefined, revision: string | undefined): Promise<void> {
  const report = await syncModelFiles({
    folder: join(workFolder(), "models/sparse_v3"),
    lockFile: join(workFolder(), "models.lock.json"),
    log,
    ...(hub && { hub }),
    ...(revision && { revision }),
  });
  log(`models/sparse_v3 is complete at revision ${report.revision}${report.locked ? "; checksums locked" : ""}`);
}

async function upload(conf: string, hub: string | undefined): Promise<void> {
  const { project, searchGateway } = loadConfiguration(conf);
  const s3 = new S3Client({ region: project.aws.region_name });
  await uploadModelData({
    models: searchGateway?.models ?? {},
    folder: join(workFolder(), "models/data"),
    log,
    ...(hub !== undefined && { hub }),
    async put({ bucket: Bucket, key: Key, path, bytes: ContentLength }) {
      await s3.send(new PutObjectCommand({ Bucket, Key, ContentLength, Body: createReadStream(path) }));
    },
  });
}
