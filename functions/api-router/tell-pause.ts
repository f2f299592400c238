import { MODEL_PAUSED, metricLine } from "../../lib/platform/telemetry/emf.ts";
import type { InputType } from "../../lib/search/embeddings/model-client.ts";

/** Prints that a model is not called for some seconds, and counts it. */
export function tellPause(
  { project, model, input, reason }: { project: string; model: string; input: InputType; reason: string },
  print: (line: string) => void,
): void {
  const message = "calls to the model are paused for some seconds";
  print(JSON.stringify({ level: "warn", message, model, input, reason }));
  print(metricLine({ Project: project, Model: model }, [{ name: MODEL_PAUSED, unit: "Count", value: 1 }]));
}
