import * as v from "valibot";
import { arn, joinWords, section, text, word } from "./kinds.ts";

/** The form of a region's name. */
export const REGION = /^[a-z]{2}(-[a-z]+)+-\d$/;

/** A region. */
export const region = (description: string) => text(REGION, "a region such as eu-west-1", description);

/** Where Terraform keeps its state. */
export const State = v.pipe(
  v.variant("type", [
    section({ type: word(["local"], "Files on this machine.") }, "State on this machine."),
    section(
      {
        type: word(["s3"], "A bucket."),
        bucket: text(
          /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
          "a bucket name of 3 to 63 characters",
          "Bucket of the state; `relevance init-state` creates it.",
        ),
        key_prefix: v.optional(
          text(
            /^[\w!.*'()-]+(\/[\w!.*'()-]+)*$/,
            "a key prefix without slashes at its ends, such as teams/search",
            "Put before account, region and the name of each stack's state. Default: the project's name.",
          ),
        ),
        region: region("Region of that bucket."),
        kms_key_id: v.optional(
          arn(
            "kms",
            "key/[\\w-]+",
            "arn:aws:kms:eu-west-1:210987654321:key/0a1b2c3d-0000-4000-8000-1a2b3c4d5e6f",
            "Key that encrypts the state. Default: the bucket's.",
          ),
        ),
        role_arn: v.optional(
          text(
            /^arn:aws(-cn|-us-gov|-iso-b|-iso)?:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/,
            "an ARN such as arn:aws:iam::210987654321:role/terraform-state",
            "Role that reads and writes the state, for a bucket of another account. Default: the credentials of the caller.",
          ),
        ),
      },
      "State in a bucket, encrypted, with a native lock file.",
    ),
  ]),
  v.metadata({
    allowed: `a mapping with type ${joinWords(["local", "s3"])}`,
    description: "Where Terraform keeps its state.",
  }),
);
