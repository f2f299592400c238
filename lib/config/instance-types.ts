/** The model server's two images. */
export type ImageKind = "gpu" | "cpu";

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
