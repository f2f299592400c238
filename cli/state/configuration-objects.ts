import { createHash } from "node:crypto";
import type { S3Client } from "@aws-sdk/client-s3";
import { parse, stringify } from "yaml";
import { Failure } from "../../lib/platform/failure.ts";
import { PREFIXES } from "../../lib/platform/naming/object-keys.ts";
import type { Project } from "../project.ts";

/** Differences between the configuration folder and the bucket: paths in the folder, sorted. */
export interface ConfigurationChanges {
  write: string[];
  remove: string[];
}

interface ConfigurationObject {
  body: string;
  type: string;
  sha256: string;
}

/** Name in the metadata of an object, which a HEAD request returns, of the SHA-256 of its text. */
const HASH = "sha256";

/** Returns what synchronizing the configuration files would change. Without a bucket, all files would be written. */
export async function compareConfiguration(
  { sdk, config }: Pick<Project, "sdk" | "config">,
  bucket: string,
): Promise<ConfigurationChanges> {
  const { S3Client } = await import("@aws-sdk/client-s3");
  const wanted = objectsOf(config.files);
  const stored = await explained(bucket, "read", ["s3:ListBucket", "s3:GetObject"], () =>
    storedHashes(new S3Client(sdk), bucket),
  );
  const write = [...wanted].filter(([path, { sha256 }]) => stored.get(path) !== sha256).map(([path]) => path);
  const remove = [...stored.keys()].filter((path) => !wanted.has(path));
  return { write, remove: remove.sort() };
}

/** Returns the texts of the files of the last deployment by path; none without a bucket. */
export async function storedConfiguration(
  { sdk }: Pick<Project, "sdk">,
  bucket: string,
): Promise<Readonly<Record<string, string>>> {
  const { GetObjectCommand, S3Client } = await import("@aws-sdk/client-s3");
  const client = new S3Client(sdk);
  return explained(bucket, "read", ["s3:ListBucket", "s3:GetObject"], async () => {
    const stored = await storedHashes(client, bucket);
    const texts = [...stored.keys()].map(async (path) => {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: keyOf(path) }));
      return [path, (await Body?.transformToString()) ?? ""] as const;
    });
    return Object.fromEntries(await Promise.all(texts));
  });
}

/**
 * Synchronizes the bucket with the configuration folder and prints each change. Can be repeated after any interruption.
 * Throws Failure with the reason that S3 gives.
 */
export async function synchronizeConfiguration(
  { sdk, config, terminal }: Pick<Project, "sdk" | "config" | "terminal">,
  Bucket: string,
): Promise<void> {
  const { DeleteObjectCommand, PutObjectCommand, S3Client } = await import("@aws-sdk/client-s3");
  const { write, remove } = await compareConfiguration({ sdk, config }, Bucket);
  const client = new S3Client(sdk);
  for (const [path, { body: Body, type: ContentType, sha256 }] of objectsOf(config.files)) {
    if (!write.includes(path)) continue;
    const Metadata = { [HASH]: sha256 };
    const command = new PutObjectCommand({ Bucket, Key: keyOf(path), Body, ContentType, Metadata });
    await explained(Bucket, "written to", ["s3:PutObject", "kms:GenerateDataKey"], () => client.send(command));
    terminal.note(`  ${path}: written`);
  }
  for (const path of remove) {
    const command = new DeleteObjectCommand({ Bucket, Key: keyOf(path) });
    await explained(Bucket, "written to", ["s3:DeleteObject"], () => client.send(command));
    terminal.note(`  ${path}: removed`);
  }
}

/** Returns the note for the plan; none if the bucket is up to date. */
export function configurationNotes({ write, remove }: ConfigurationChanges): string[] {
  const parts = [
    ...(write.length > 0 ? [`${write.join(", ")} will be written`] : []),
    ...(remove.length > 0 ? [`${remove.join(", ")} will be removed`] : []),
  ];
  return parts.length === 0 ? [] : [`Configuration files in the bucket: ${parts.join("; ")}`];
}

const keyOf = (path: string) => `${PREFIXES.configuration}${path}`;

/**
 * Returns the objects to store, sorted by path. YAML is stored without comments, so changing a comment changes nothing.
 */
function objectsOf(files: Readonly<Record<string, string>>): Map<string, ConfigurationObject> {
  return new Map(
    Object.entries(files)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, text]) => {
        const isYaml = !/\.(json|txt|csv)$/.test(path);
        const body = isYaml ? stringify(parse(text)) : text;
        const sha256 = createHash("sha256").update(body).digest("hex");
        const type = isYaml ? "application/yaml" : path.endsWith(".json") ? "application/json" : "text/plain";
        return [path, { body, type, sha256 }];
      }),
  );
}

/** Returns the SHA-256 of the stored objects by path; undefined for an object that something else wrote. */
async function storedHashes(client: S3Client, Bucket: string): Promise<Map<string, string | undefined>> {
  const { HeadObjectCommand, NoSuchBucket, paginateListObjectsV2 } = await import("@aws-sdk/client-s3");
  const keys: string[] = [];
  try {
    for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix: PREFIXES.configuration }))
      keys.push(...Contents.flatMap(({ Key }) => Key ?? []));
  } catch (error) {
    if (error instanceof NoSuchBucket) return new Map();
    throw error;
  }
  const heads = keys.map(async (Key): Promise<[string, string | undefined]> => {
    const { Metadata } = await client.send(new HeadObjectCommand({ Bucket, Key }));
    return [Key.slice(PREFIXES.configuration.length), Metadata?.[HASH]];
  });
  return new Map(await Promise.all(heads));
}

async function explained<T>(bucket: string, what: string, actions: string[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { name, message, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
    const advice =
      $metadata?.httpStatusCode === 403
        ? `. The credentials need ${actions.join(" and ")}. If another account owns the bucket, choose another project_name`
        : "";
    throw new Failure(`Bucket ${bucket} cannot be ${what}: ${name}: ${message}${advice}`, { cause: error });
  }
}
