import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { GetObjectCommand, PutObjectCommand, paginateListObjectsV2, type S3Client } from "@aws-sdk/client-s3";
import { concurrently } from "@relevance/lib/platform/resilience/concurrently.ts";
import type { AfterCall } from "@relevance/local-aws/cloud/router.ts";
import { replaceFile } from "@relevance/processes/files.ts";

const PARALLEL = 8;

/** Keeps the objects below a prefix on disk, because moto loses everything when it exits. */
export interface KeptObjects {
  /** Fills the bucket with the saved objects. */
  restore(): Promise<void>;
  /** Saves new objects. Files are replaced atomically. */
  save(): Promise<void>;
  /** Saves what a call to the AWS endpoint has stored. */
  keep: AfterCall;
}

/** Keeps the objects below a prefix, which Firehose writes and commands replace, in a folder. */
export function keptObjects(folder: string, s3: S3Client, Bucket: string, Prefix: string): KeptObjects {
  const saveObject = async (Key: string) => {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
    if (Body) replaceFile(join(folder, Key), await Body.transformToByteArray());
  };
  const restoreObject = async (path: string) => {
    const Key = path.split(sep).join("/");
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: readFileSync(join(folder, path)) }));
  };
  const save = coalesced(async () => {
    const keys: string[] = [];
    for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket, Prefix })) {
      // Firehose never changes an object, so a file of the same size is up to date.
      for (const { Key, Size } of Contents) {
        if (Key && statSync(join(folder, Key), { throwIfNoEntry: false })?.size !== Size) keys.push(Key);
      }
    }
    await concurrently(keys, PARALLEL, saveObject);
  });
  return {
    async restore() {
      await concurrently(filesBelow(folder), PARALLEL, restoreObject);
    },
    save,
    async keep({ service, operation = "", method, path }) {
      if (service === "firehose" && operation.startsWith("PutRecord")) await save();
      if (service === "s3" && method === "PUT" && path.startsWith(`/${Bucket}/${Prefix}`)) {
        const [key = ""] = path.slice(`/${Bucket}/`.length).split("?");
        await saveObject(decodeURIComponent(key));
      }
    },
  };
}

/** Wraps `run` so that each call is served by a run that starts after it, and at most one run is in progress. */
function coalesced(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        running = run();
        return running;
      });
    return next;
  };
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".new"))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}
