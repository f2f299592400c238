import { dirname } from "node:path";
import type { Names } from "../../lib/core/naming/names.ts";
import { STEPS } from "../apply/steps.ts";
import { explained } from "../discovery/explain.ts";
import { Failure } from "../errors.ts";
import { failing, type Session } from "../session.ts";

/**
 * Throws Failure for state in the bucket of terraform.state that is of no account and region by its key, as it was before
 * they had prefixes of their own: used as it is, another region's deployment would take it for its own, and remove it.
 */
export async function refuseStateOfNoRegion({ config }: Session, account: string, names: Names): Promise<void> {
  const { project_name: project, terraform, aws } = config.project;
  if (terraform.state.type !== "s3") return;
  const { bucket, region, key_prefix } = terraform.state;
  const now = `s3://${bucket}/${dirname(names.stateKey("storage", key_prefix))}`;
  const before = dirname(dirname(names.stateKey("storage", key_prefix)));
  const wanted = STEPS.flatMap(({ stacks }) => stacks.map((stack) => `${stack}.tfstate`));
  const found = (await filesIn({ bucket, region, folder: `${before}/` })).filter((file) => wanted.includes(file));
  if (found.length === 0) return;
  const moves = found.map((file) => `  aws s3 mv --region ${region} s3://${bucket}/${before}/${file} ${now}/${file}`);
  throw new Failure(
    `Terraform's state of ${project} (${found.join(", ")}) is in s3://${bucket}/${before}, which does not say of which ` +
      `account and region it is. If it is that of account ${account} in ${aws.region_name}, move it:\n${moves.join("\n")}\n` +
      "Else move it below the prefix of its own account and region, named in the same way. Then run this again.",
  );
}

interface Folder {
  bucket: string;
  region: string;
  /** Prefix with the slash at its end. */
  folder: string;
}

/** Names of the objects right below a prefix, sorted; none without the bucket, which Terraform says more of. */
async function filesIn({ bucket: Bucket, region, folder: Prefix }: Folder): Promise<string[]> {
  const { NoSuchBucket, paginateListObjectsV2, S3Client } = await import("@aws-sdk/client-s3");
  const client = new S3Client({ region });
  const list = async () => {
    const found: string[] = [];
    for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix, Delimiter: "/" })) {
      found.push(...Contents.flatMap(({ Key }) => Key?.slice(Prefix.length) ?? []));
    }
    return found.sort();
  };
  try {
    return await failing(explained("s3:ListBucket", list()));
  } catch (error) {
    const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
    // 301: it is in another region.
    if (error instanceof NoSuchBucket || $metadata?.httpStatusCode === 301) return [];
    throw error;
  }
}
