import { defineCommand } from "../command.ts";
import { Failure, UsageError } from "../errors.ts";
import { accountOf, namesIn, openSession } from "../session.ts";
import { createStateBucket } from "../state/buckets.ts";

/** `relevance init-state`: creates the bucket of terraform.state, or updates its settings. */
export const command = defineCommand({
  example: "relevance init-state --conf conf",
  options: {},
  run: async ({ conf }, context) => {
    const session = openSession(conf, context);
    const { state } = session.config.project.terraform;
    if (state.type !== "s3") {
      throw new UsageError("terraform.state in project.yaml is local: set type to s3, with bucket and region");
    }
    const { bucket, region } = state;
    const names = namesIn(session, await accountOf(session));
    try {
      const made = await createStateBucket({ region }, bucket, names.partition());
      context.terminal.print(
        `${bucket} in ${region}: ${made ? "created" : "already exists"}; versioned, encrypted, no public access, TLS only`,
      );
      return 0;
    } catch (error) {
      const { name, message, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
      const taken = name === "BucketAlreadyExists" || ($metadata?.httpStatusCode === 403 && name === "403");
      const reason = taken ? "another account owns this name: choose another bucket" : `${name}: ${message}`;
      throw new Failure(`Bucket ${bucket} cannot be set up: ${reason}`, { cause: error });
    }
  },
});
