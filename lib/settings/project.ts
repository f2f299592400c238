import * as v from "valibot";
import { Alarms } from "./alarms.ts";
import { isClusterAddress } from "./cluster-address.ts";
import { arn, ec2Id, flag, integer, joinWords, list, oneOf, section, text, word } from "./kinds.ts";
import { region, State } from "./terraform-state.ts";

const MAX_BULK_BYTES = 8 * 1024 * 1024;

const filePath = (example: string, description: string) =>
  text(
    /^(?!\/)(?!.*(^|\/)\.\.(\/|$))[^\\]+\.json$/,
    `the path of a .json file inside the configuration folder, such as ${example}`,
    description,
  );

const Auth = v.pipe(
  v.variant("type", [
    section({ type: word(["aws"], "The functions' roles sign each request.") }, "Cloud IAM authentication."),
    section(
      {
        type: word(["basic"], "Account and password of the master user."),
        master_user_secret_arn: arn(
          "secretsmanager",
          "secret:[\\w/+=.@-]+",
          "arn:aws:secretsmanager:eu-west-1:123456789012:secret:search-master-AbCdEf",
          "The secret that holds `username` and `password`.",
        ),
      },
      "Account and password.",
    ),
  ]),
  v.metadata({
    allowed: `a mapping with type ${joinWords(["aws", "basic"])}`,
    description: "How the gateway authenticates to a cluster with fine-grained access control. Default: it does not.",
  }),
);

/** Most data nodes in a domain. Source: quotas of Amazon OpenSearch Service. */
const MAX_DATA_NODES = 1_002;

const AutoScaling = section(
  {
    min_instance_count: integer(1, MAX_DATA_NODES, "Minimum number of data nodes."),
    max_instance_count: integer(1, MAX_DATA_NODES, "Maximum number of data nodes."),
    scale_down_cpu_util_threshold: integer(1, 99, "CPU utilization, in percent, below which the cluster scales down."),
    scale_up_cpu_util_threshold: integer(1, 100, "CPU utilization, in percent, above which the cluster scales up."),
  },
  "Scaling of the cluster's data nodes by CPU utilization. Default: off.",
);

const Tags = v.pipe(
  v.record(
    text(
      /^(?!aws:)[\p{L}\p{Z}\p{N}_.:/=+\-@]{1,128}$/iu,
      "a tag key of 1 to 128 characters, not starting with aws:",
      "Key.",
    ),
    text(/^[\p{L}\p{Z}\p{N}_.:/=+\-@]{0,256}$/u, "text of at most 256 characters", "Value."),
  ),
  v.metadata({
    allowed: "a mapping of tag keys to text",
    description: "Tags put on every resource, such as `team: search`.",
  }),
);

/** Retention periods that CloudWatch Logs accepts, in days. Source: PutRetentionPolicy, CloudWatch Logs API Reference. */
const LOG_RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
] as const;

const Aws = section(
  {
    region_name: region("Region that everything is deployed to."),
    account_id: v.optional(
      text(/^\d{12}$/, "12 digits in quotes", "The only account that `plan` and `deploy` accept. Default: any."),
    ),
    tags: v.optional(Tags, {}),
    lambda_runtime: v.optional(
      word(["nodejs22.x", "nodejs24.x"], "Runtime of the functions. `nodejs24.x` needs `provider: 6` of `terraform`."),
      "nodejs22.x",
    ),
    log_retention_days: v.optional(
      oneOf(
        LOG_RETENTION_DAYS,
        "Days that the log groups are kept. That of api-router, which holds searches, is kept 3 days at most; " +
          "`logging.retention_days` of api.yaml is for the request log.",
      ),
      30,
    ),
    permissions_boundary_arn: v.optional(
      text(
        /^arn:aws(-cn|-us-gov|-iso-b|-iso)?:iam::(\d{12}|aws):policy\/[\w+=,.@/-]{1,512}$/,
        "an ARN such as arn:aws:iam::123456789012:policy/developers",
        "Permissions boundary of every role. Default: none.",
      ),
    ),
    role_path: v.optional(
      text(
        /^\/([\w+=,.@-]+\/)*$/,
        "a path that starts and ends with a slash, such as /teams/search/",
        "Path of every role. Changing it later replaces all roles.",
      ),
      "/",
    ),
    kms_key_arn: v.optional(
      arn(
        "kms",
        "key/[\\w-]+",
        "arn:aws:kms:eu-west-1:123456789012:key/0a1b2c3d-0000-4000-8000-1a2b3c4d5e6f",
        "Your own key, for everything that is encrypted; its policy must allow the services. Set it before the first " +
          "deployment. Default: keys of the project.",
      ),
    ),
  },
  "Where the project lives.",
);

const Vpc = section(
  {
    vpc_id: ec2Id("vpc", "a VPC", "The existing network of the cluster.", "vpc-00000000000000000"),
    subnet_ids: v.optional(
      list(ec2Id("subnet", "a subnet", "A subnet."), "Subnets of the functions. Default: those of the domain.", {
        min: 1,
        max: 16,
      }),
    ),
    domain_security_group_id: v.optional(
      ec2Id(
        "sg",
        "a security group",
        "The domain's group that gets the ingress rule. Default: the first of the domain's groups.",
      ),
    ),
    functions: v.optional(
      word(
        ["router", "all"],
        "Which functions run in the VPC: `router`, which calls the cluster, or `all`, also those of the recommendation " +
          "service. The others then need interface endpoints of the services that they call, and gateway endpoints of S3 and " +
          "DynamoDB.",
      ),
      "router",
    ),
    create_domain_ingress: v.optional(
      flag(
        "Whether that group gets a rule that lets the functions in. With `false`, add one yourself: HTTPS from the group " +
          "in the output `router_security_group_id` of the stack search-gateway.",
      ),
      true,
    ),
    create_endpoints: v.optional(
      flag("Whether endpoints that the network lacks are created. Interface endpoints are billed by the hour."),
      true,
    ),
  },
  "The network. Together with `opensearch` it enables the search gateway.",
);

const OpenSearch = section(
  {
    domain: v.pipe(
      v.string(),
      v.check(isClusterAddress),
      v.metadata({
        allowed:
          "the VPC endpoint of the domain (a host name or an https:// address without a path; http:// on loopback only)",
        description: "VPC endpoint of the existing cluster.",
        placeholder: "vpc-example-00000000000000000000000000.eu-west-1.es.amazonaws.com",
      }),
    ),
    domain_name: text(
      /^[a-z][a-z0-9-]{2,27}$/,
      "the name of a domain: 3 to 28 lower-case letters, digits and hyphens, starting with a letter",
      "Name of that domain.",
      "example",
    ),
    auth: v.optional(Auth),
    auto_scaling: v.optional(AutoScaling),
    max_bulk_bytes: v.optional(
      integer(64 * 1024, 100 * 1024 * 1024, "Maximum size of a request to the cluster's `_bulk`, in bytes."),
      MAX_BULK_BYTES,
    ),
  },
  "The existing search cluster. Together with `vpc` it enables the search gateway.",
);

const Personalize = section(
  {
    item_schema_file_path: filePath("schema/item_schema.json", "Schema of the items dataset."),
    user_schema_file_path: filePath("schema/user_schema.json", "Schema of the users dataset."),
    interaction_schema_file_path: filePath("schema/interaction_schema.json", "Schema of the interactions dataset."),
    etl_configure_file_path: filePath("etl/configure.json", "How uploaded records become those schemas' fields."),
    force_reprocess_lookback_days: integer(
      0,
      3_650,
      "Days, counted back from today, that every training processes again even if they did not change.",
    ),
    log_lookback_days: integer(1, 3_650, "Days of events, counted back from today, that training reads."),
    event_retention_days: v.optional(
      integer(1, 3_653, "Days that events are kept in the bucket, more than `log_lookback_days`. Default: forever."),
    ),
    run_retention_days: v.optional(
      integer(
        1,
        3_653,
        "Days that the files of each training stay in the bucket. They contain users, items and events.",
      ),
      90,
    ),
    // Limits: "Buffering hints", Amazon Data Firehose Developer Guide.
    event_buffer_seconds: v.optional(
      integer(
        0,
        900,
        "Maximum time, in seconds, to buffer accepted events before they are stored in the bucket. Training " +
          "waits this long after the last event. A shorter time makes more and smaller objects.",
      ),
      300,
    ),
    ids: v.optional(
      section(
        {
          refuse: v.optional(
            list(
              text(/^\P{Cc}{1,256}$/u, "text of 1 to 256 characters", "An id."),
              "Texts that are no ids of users, items and sessions, such as the `guest` of an export: the API refuses " +
                "records with them, and training leaves out events that were stored with them.",
              { max: 100 },
            ),
            [],
          ),
        },
        "What may be an id.",
      ),
      {},
    ),
  },
  "Enables the recommendation service. `relevance schema-generation` writes the four files. Paths start at this folder.",
);

/** conf/project.yaml */
export const ProjectSchema = section(
  {
    project_name: text(
      /^[a-z][a-z0-9-]{1,23}$/,
      "2 to 24 lower-case letters, digits and hyphens, starting with a letter",
      "Prefix of the name of every cloud resource. Changing it creates a second deployment.",
    ),
    aws: Aws,
    terraform: v.optional(
      section(
        {
          provider: v.optional(
            oneOf([5, 6], "Major version of the AWS provider: 5 is 5.100.0, which all tests run; 6 is 6.25.0."),
            5,
          ),
          state: v.optional(State, { type: "local" }),
        },
        "How Terraform works for this project.",
      ),
      {},
    ),
    alarms: v.optional(Alarms, {}),
    vpc: v.optional(Vpc),
    opensearch: v.optional(OpenSearch),
    personalize: v.optional(Personalize),
  },
  "What is deployed, and where.",
);

/** conf/project.yaml with its defaults. */
export type Project = v.InferOutput<typeof ProjectSchema>;

/** `vpc` of project.yaml. */
export type Vpc = NonNullable<Project["vpc"]>;

/** `opensearch` of project.yaml. */
export type OpenSearch = NonNullable<Project["opensearch"]>;

/** `personalize` of project.yaml. */
export type Personalize = NonNullable<Project["personalize"]>;
