import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { S3Client } from "@aws-sdk/client-s3";
import { parse, stringify } from "yaml";
import { PREFIXES } from "../../lib/core/naming/object-keys.ts";
import { Failure } from "../errors.ts";
import type { Session } from "../session.ts";

/** Differences between the configuration folder and the bucket: paths in the folder, sorted. */
export interface ConfigurationChanges {
  write: string[];
  remove: string[];
}

interface ConfigurationObject {
  body: string;
  type: string;
  metadata: Metadata;
}

/** Metadata of an object, which a HEAD request returns: the SHA-256 of its text, and the form of files that have one. */
type Metadata = Record<string, string>;

const HASH = "sha256";
const FORM = "form";

/**
 * Forms of files whose text means something else than in earlier versions. api.yaml: the rights on the cluster's own
 * API are properties of a key, no longer one list for all of them.
 */
const FORMS: Readonly<Record<string, string>> = { "api.yaml": "2" };

/** The files of the last deployment. */
export interface StoredConfiguration {
  /** Texts by path. */
  files: Readonly<Record<string, string>>;
  /** Paths of files that an earlier version wrote in a form that now means something else. */
  earlier: ReadonlySet<string>;
}

/** Returns what synchronizing the configuration files would change. Without a bucket, all files would be written. */
export async function compareConfiguration(
  session: Pick<Session, "sdk" | "config">,
  bucket: string,
): Promise<ConfigurationChanges> {
  const { S3Client } = await import("@aws-sdk/client-s3");
  const wanted = objectsOf(session.config.files);
  const stored = await explained(bucket, "read", ["s3:ListBucket", "s3:GetObject"], () =>
    storedMetadata(new S3Client(session.sdk), bucket),
  );
  const write = [...wanted]
    .filter(([path, { metadata }]) => !isDeepStrictEqual(stored.get(path), metadata))
    .map(([path]) => path);
  const remove = [...stored.keys()].filter((path) => !wanted.has(path));
  return { write, remove: remove.sort() };
}

/** Returns the files of the last deployment; none without a bucket. */
export async function storedConfiguration({ sdk }: Pick<Session, "sdk">, bucket: string): Promise<StoredConfiguration> {
  const { GetObjectCommand, S3Client } = await import("@aws-sdk/client-s3");
  const client = new S3Client(sdk);
  return explained(bucket, "read", ["s3:ListBucket", "s3:GetObject"], async () => {
    const stored = await storedMetadata(client, bucket);
    const earlier = [...stored].filter(([path, metadata]) => metadata[FORM] !== FORMS[path]).map(([path]) => path);
    const texts = [...stored.keys()].map(async (path) => {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: keyOf(path) }));
      return [path, (await Body?.transformToString()) ?? ""] as const;
    });
    return { files: Object.fromEntries(await Promise.all(texts)), earlier: new Set(earlier) };
  });
}

/**
 * Synchronizes the bucket with the configuration folder and prints each change. Can be repeated after any interruption.
 * Throws Failure with the reason that S3 gives.
 */
export async function synchronizeConfiguration(
  session: Pick<Session, "sdk" | "config" | "terminal">,
  Bucket: string,
): Promise<void> {
  const { DeleteObjectCommand, PutObjectCommand, S3Client } = await import("@aws-sdk/client-s3");
  const { write, remove } = await compareConfiguration(session, Bucket);
  const client = new S3Client(session.sdk);
  for (const [path, { body: Body, type: ContentType, metadata: Metadata }] of objectsOf(session.config.files)) {
    if (!write.includes(path)) continue;
    const command = new PutObjectCommand({ Bucket, Key: keyOf(path), Body, ContentType, Metadata });
    await explained(Bucket, "written to", ["s3:PutObject", "kms:GenerateDataKey"], () => client.send(command));
    session.terminal.note(`  ${path}: written`);
  }
  for (const path of remove) {
    const command = new DeleteObjectCommand({ Bucket, Key: keyOf(path) });
    await explained(Bucket, "written to", ["s3:DeleteObject"], () => client.send(command));
    session.terminal.note(`  ${path}: removed`);
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
        const form = FORMS[path];
        const metadata = { [HASH]: sha256, ...(form !== undefined && { [FORM]: form }) };
        return [
          path,
          {
            body,
            metadata,
            type: isYaml ? "application/yaml" : path.endsWith(".json") ? "application/json" : "text/plain",
          },
        ];
      }),
  );
}

/** Returns the metadata of the stored objects by path; of an object that something else wrote, without our keys. */
async function storedMetadata(client: S3Client, Bucket: string): Promise<Map<string, Metadata>> {
  const { HeadObjectCommand, NoSuchBucket, paginateListObjectsV2 } = await import("@aws-sdk/client-s3");
  const keys: string[] = [];
  try {
    for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix: PREFIXES.configuration }))
      keys.push(...Contents.flatMap(({ Key }) => Key ?? []));
  } catch (error) {
    if (error instanceof NoSuchBucket) return new Map();
    throw error;
  }
  const heads = keys.map(async (Key): Promise<[string, Metadata]> => {
    const { Metadata = {} } = await client.send(new HeadObjectCommand({ Bucket, Key }));
    const ours = [HASH, FORM].flatMap((name) => (Metadata[name] === undefined ? [] : [[name, Metadata[name]]]));
    return [Key.slice(PREFIXES.configuration.length), Object.fromEntries(ours)];
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
