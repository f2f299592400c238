import { domainSuffixOf, partitionOf } from "../platform/naming/partitions.ts";

/** The model server's two images. */
type ImageKind = "gpu" | "cpu";

const UP_TO_24 = "large xlarge 2xlarge 4xlarge 12xlarge 24xlarge";
const UP_TO_32 = "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 32xlarge";
const UP_TO_48 = "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 48xlarge";
const GPU_UP_TO_48 = "xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 48xlarge";

/**
 * Instance types that SageMaker offers for hosting (`ProductionVariantInstanceType`, API reference) and that run Text
 * Embeddings Inference. Its GPU image is compiled for the compute capabilities 7.5 to 9.0; its CPU image is for x86, so
 * Graviton is out. Neither supports Inferentia or Trainium.
 */
const SIZES: Readonly<Record<ImageKind, Readonly<Record<string, string>>>> = {
  gpu: {
    g4dn: "xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge",
    g5: GPU_UP_TO_48,
    g6: GPU_UP_TO_48,
    g6e: GPU_UP_TO_48,
    p4d: "24xlarge",
    p4de: "24xlarge",
    p5: "48xlarge",
  },
  cpu: {
    c5: "large xlarge 2xlarge 4xlarge 9xlarge 18xlarge",
    c5d: "large xlarge 2xlarge 4xlarge 9xlarge 18xlarge",
    c6i: UP_TO_32,
    c6in: UP_TO_32,
    c7i: UP_TO_48,
    m5: UP_TO_24,
    m5d: UP_TO_24,
    m6i: UP_TO_32,
    m7i: UP_TO_48,
    r5: UP_TO_24,
    r5d: UP_TO_24,
    r6i: UP_TO_32,
    r7i: UP_TO_48,
    t2: "medium large xlarge 2xlarge",
  },
};

const listed = (kind: ImageKind) =>
  Object.entries(SIZES[kind]).flatMap(([family, sizes]) => sizes.split(" ").map((size) => `ml.${family}.${size}`));

/** The instance types that run the model server, by image. */
export const INSTANCE_TYPES: Readonly<Record<ImageKind, readonly string[]>> = {
  gpu: listed("gpu"),
  cpu: listed("cpu"),
};

/** Returns the image for an instance type: `ml.g5.xlarge` gives "gpu". Undefined if neither image runs on it. */
export function imageKind(instanceType: string): ImageKind | undefined {
  if (INSTANCE_TYPES.gpu.includes(instanceType)) return "gpu";
  return INSTANCE_TYPES.cpu.includes(instanceType) ? "cpu" : undefined;
}

/** The supported families as text, for messages. */
export const SERVED_FAMILIES = `GPU: ${Object.keys(SIZES.gpu).join(", ")}; CPU: ${Object.keys(SIZES.cpu).join(", ")}`;

/**
 * Accounts that publish the Text Embeddings Inference images, GPU and CPU, by region. Source: SageMaker Python SDK,
 * `image_uri_config/huggingface-tei.json`.
 */
const ACCOUNTS: Readonly<Record<string, string>> = {
  "af-south-1": "510948584623",
  "ap-east-1": "651117190479",
  "ap-northeast-1": "354813040037",
  "ap-northeast-2": "366743142698",
  "ap-northeast-3": "867004704886",
  "ap-south-1": "720646828776",
  "ap-south-2": "628508329040",
  "ap-southeast-1": "121021644041",
  "ap-southeast-2": "783357654285",
  "ap-southeast-3": "951798379941",
  "ap-southeast-4": "106583098589",
  "ca-central-1": "341280168497",
  "ca-west-1": "190319476487",
  "cn-north-1": "450853457545",
  "cn-northwest-1": "451049120500",
  "eu-central-1": "492215442770",
  "eu-central-2": "680994064768",
  "eu-north-1": "662702820516",
  "eu-south-1": "978288397137",
  "eu-south-2": "104374241257",
  "eu-west-1": "141502667606",
  "eu-west-2": "764974769150",
  "eu-west-3": "659782779980",
  "il-central-1": "898809789911",
  "me-central-1": "272398656194",
  "me-south-1": "801668240914",
  "sa-east-1": "737474898029",
  "us-east-1": "683313688378",
  "us-east-2": "257758044811",
  "us-gov-east-1": "237065988967",
  "us-gov-west-1": "414596584902",
  "us-west-1": "746614075791",
  "us-west-2": "246618743249",
};

/** Pinned to 1.8.2, the newest release documented for both kinds. Source: AWS Deep Learning Containers, TEI. */
const IMAGES = {
  gpu: { repository: "tei", tag: "2.0.1-tei1.8.2-gpu-py310-cu122-ubuntu22.04" },
  cpu: { repository: "tei-cpu", tag: "2.0.1-tei1.8.2-cpu-py310-ubuntu22.04" },
} as const;

/** The model server's image in a region, and the repository that holds it. */
export interface ModelImage {
  uri: string;
  repositoryArn: string;
}

/** Returns the image for an instance type in a region, or undefined if AWS publishes none for that region or family. */
export function modelImage(region: string, instanceType: string): ModelImage | undefined {
  const account = ACCOUNTS[region];
  const kind = imageKind(instanceType);
  if (account === undefined || kind === undefined) return undefined;
  const { repository, tag } = IMAGES[kind];
  return {
    uri: `${account}.dkr.ecr.${region}.${domainSuffixOf(region)}/${repository}:${tag}`,
    repositoryArn: `arn:${partitionOf(region)}:ecr:${region}:${account}:repository/${repository}`,
  };
}
