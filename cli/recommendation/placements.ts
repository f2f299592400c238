import { isDeepStrictEqual } from "node:util";
import {
  type DocumentVersion,
  s3DocumentBucket,
  type VersionedDocument,
  versionedDocument,
} from "../../lib/aws/versioned-documents.ts";
import type { Placement } from "../../lib/config/placements.ts";
import type { Names } from "../../lib/core/naming/names.ts";
import { PLACEMENTS, parsePlacements } from "../../lib/recommendation/placements/document.ts";
import { Failure } from "../errors.ts";
import type { Session } from "../session.ts";
import { settingChanges } from "../setting-changes.ts";
import type { Target } from "./target.ts";

/** Configuration of SDK clients. */
type Sdk = Target["sdk"];

/** Opens the versions of the project's placements. */
export async function openPlacements(sdk: Sdk, names: Names): Promise<VersionedDocument> {
  const { S3Client } = await import("@aws-sdk/client-s3");
  const client = new S3Client({ ...sdk, maxAttempts: 1 });
  return versionedDocument(s3DocumentBucket(client, names.bucket()), PLACEMENTS);
}

/** Returns the ARN of whoever the credentials belong to, as STS names it. */
async function identityOf(sdk: Sdk): Promise<string> {
  const { GetCallerIdentityCommand, STSClient } = await import("@aws-sdk/client-sts");
  const { Arn } = await new STSClient(sdk).send(new GetCallerIdentityCommand({}));
  return Arn ?? "unknown";
}

/** Returns the newest version; undefined before the first, and if the bucket does not exist yet. Throws Failure. */
export function newestVersion(document: VersionedDocument): Promise<DocumentVersion | undefined> {
  return explained(
    document.newest().catch((error: Error) => {
      if (error.name === "NoSuchBucket") return undefined;
      throw error;
    }),
  );
}

/** Returns the placements of a version. Throws Failure if this version of the tool does not know them. */
export function placementsOf(version: DocumentVersion | undefined): readonly Placement[] {
  if (version === undefined) return [];
  try {
    return parsePlacements(version.content);
  } catch (error) {
    const message = `Version ${version.version} of the placements has settings that this version of relevance does not know`;
    throw new Failure(message, { cause: error });
  }
}

/** Describes each placement that changes, in one line. */
export function placementChanges(before: readonly Placement[], after: readonly Placement[]): string[] {
  const old = new Map(before.map((placement) => [placement.name, placement]));
  const kept = new Set(after.map(({ name }) => name));
  return [
    ...after.flatMap((placement) => {
      const earlier = old.get(placement.name);
      if (isDeepStrictEqual(earlier, placement)) return [];
      return [`Placement ${placement.name}: ${earlier ? settingChanges(earlier, placement).join("; ") : "new"}`];
    }),
    ...before.flatMap(({ name }) => (kept.has(name) ? [] : [`Placement ${name}: removed`])),
  ];
}

/** Returns notes for the plan on placements that `deploy` changes. Says whose version they replace. */
export async function placementNotes({ sdk, config }: Session, names: Names): Promise<string[]> {
  if (!config.recommendation) return [];
  const newest = await newestVersion(await openPlacements(sdk, names));
  const changes = placementChanges(placementsOf(newest), config.recommendation.placements);
  if (changes.length === 0 || newest === undefined) return changes;
  return [...changes, `Version ${newest.version} of the placements, which deploy replaces, is by ${newest.written_by}`];
}

/**
 * Writes the placements of the configuration as a new version, unless they are those of the newest one. Returns the
 * version in use, and what changed. Throws Failure if somebody else writes at the same time.
 */
export async function writePlacements(
  document: VersionedDocument,
  sdk: Sdk,
  placements: readonly Placement[],
  revertsTo?: number,
): Promise<{ version: DocumentVersion; changes: string[] }> {
  const newest = await newestVersion(document);
  const before = placementsOf(newest);
  const content = { placements };
  if (newest && isDeepStrictEqual(before, placements)) {
    // An interrupted run may have written the version without putting it into use.
    await explained(document.publish());
    return { version: newest, changes: [] };
  }
  const written = await explained(
    document.write(newest?.version ?? 0, {
      by: await identityOf(sdk),
      at: new Date(),
      content,
      ...(revertsTo !== undefined && { revertsTo }),
    }),
  );
  if (written) return { version: written, changes: placementChanges(before, placements) };
  throw new Failure(
    "Somebody else has just written another version of the placements: see `relevance placements versions`, then run this again",
  );
}

/** Puts the placements of the configuration into use at the end of a deployment. */
export async function synchronizePlacements({ sdk, config, terminal }: Session, names: Names): Promise<void> {
  if (!config.recommendation) return;
  const document = await openPlacements(sdk, names);
  const { version, changes } = await writePlacements(document, sdk, config.recommendation.placements);
  for (const change of changes) terminal.note(`  ${change}`);
  if (changes.length > 0) terminal.note(`  placements: version ${version.version}`);
}

/** Awaits calls to the bucket. Throws Failure with what the credentials need, or what S3 says. */
export async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { name, message, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
    const advice =
      $metadata?.httpStatusCode === 403
        ? ". The credentials need s3:ListBucket on the project's bucket, s3:GetObject and s3:PutObject on documents/placements/*, and kms:Decrypt and kms:GenerateDataKey on its key"
        : name === "NoSuchBucket"
          ? ". Run `relevance deploy` first"
          : "";
    throw new Failure(`The placements cannot be read or written: ${name}: ${message}${advice}`, { cause: error });
  }
}
