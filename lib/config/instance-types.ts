/**
 * Instance families that run Text Embeddings Inference. Its GPU image needs compute capability 7.5 or later (no P2,
 * P3). Its CPU image is x86 (no Graviton). Neither supports Inferentia or Trainium.
 */
const GPU = ["g4dn", "g5", "g6", "g6e", "p4d", "p4de", "p5", "p5e", "p5en"];
const CPU = [
  "c5",
  "c5d",
  "c6i",
  "c6id",
  "c6in",
  "c7i",
  "m5",
  "m5d",
  "m6i",
  "m6id",
  "m7i",
  "r5",
  "r5d",
  "r6i",
  "r6id",
  "r7i",
  "t2",
];

/** Returns the image for an instance type: `ml.g5.xlarge` gives "gpu". Undefined if neither image supports it. */
export function imageKind(instanceType: string): "gpu" | "cpu" | undefined {
  const family = /^ml\.([a-z0-9]+)\.[a-z0-9]+$/.exec(instanceType)?.[1] ?? "";
  if (GPU.includes(family)) return "gpu";
  return CPU.includes(family) ? "cpu" : undefined;
}

/** The supported families as text, for messages. */
export const SERVED_FAMILIES = `GPU: ${GPU.join(", ")}; CPU: ${CPU.join(", ")}`;
