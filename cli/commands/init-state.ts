import { Failure, UsageError } from "../../lib/platform/failure.ts";
import { defineCommand } from "../command.ts";
import { flag } from "../options.ts";
import { inAccount, openSession } from "../project.ts";
import { bucketExists } from "../state/buckets.ts";
import { openStateBucket } from "../state/state-bucket.ts";

const SETTINGS = "versioned, encrypted, no public access, TLS only";

/** `relevance init-state`: creates the bucket of terraform.state, or adds what an existing one lacks. */
export const command = defineCommand({
  example: "relevance init-state --conf conf",
  options: { adopt: flag("--adopt", "add what an existing bucket lacks, and change nothing else of it") },
  run: async ({ conf, adopt }, context) => {
    const session = await openSession(conf, context);
    const { state } = session.config.project.terraform;
    if (state.type !== "s3") {
      throw new UsageError("terraform.state in project.yaml is local: set type to s3, with bucket and region");
    }
    if (state.role_arn !== undefined) {
      throw new UsageError(
        "terraform.state in project.yaml has a role_arn: whoever owns that role makes the bucket. `relevance init-state` " +
          "without role_arn, with credentials of that account, makes one",
      );
    }
    const { bucket, region, kms_key_id } = state;
    const { terminal } = context;
    const { account, names } = await inAccount(session);
    const done = (what: string) => terminal.print(`${bucket} in ${region}: ${what}; ${SETTINGS}`);
    try {
      const opened = await openStateBucket({ region }, bucket, {
        partition: names.partition(),
        key: kms_key_id,
      });
      if (!(await bucketExists({ region }, bucket, account))) {
        await opened.create();
        done("created");
        return 0;
      }
      const missing = await opened.missing();
      if (missing.length > 0) {
        const list = missing.map(({ lacks }) => `  ${lacks}`).join("\n");
        if (!adopt) {
          throw new Failure(
            `Bucket ${bucket} exists, and nothing of it was changed. It lacks\n${list}\n` +
              "Run `relevance init-state --adopt` to add that and keep everything else, or choose another bucket",
          );
        }
        terminal.note(`Bucket ${bucket} exists. To it are added\n${list}`);
        for (const { setting } of missing) await setting.add();
      }
      done(missing.length > 0 ? "adopted" : "already exists");
      return 0;
    } catch (error) {
      if (error instanceof Failure) throw error;
      const { name, message, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
      const taken = name === "BucketAlreadyExists" || ($metadata?.httpStatusCode === 403 && name === "403");
      const reason = taken ? "another account owns this name: choose another bucket" : `${name}: ${message}`;
      throw new Failure(`Bucket ${bucket} cannot be set up: ${reason}`, { cause: error });
    }
  },
});
