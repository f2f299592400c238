import { logTail } from "../process/server.ts";
import type { NodeFolder } from "./node-folder.ts";

/** Known causes of a server's death: the sign in its log, and the advice. */
const CAUSES: readonly { sign: RegExp; advice: (folder: NodeFolder) => string }[] = [
  {
    sign: /UnsatisfiedLinkError.*opensearchknn|opensearchknn_\w+ in java\.library\.path/,
    advice: ({ data }) =>
      "An index has a knn_vector without the lucene engine, whose native library is missing: the first vector " +
      'ends the server, and its data ends it again at every start. Set "engine": "lucene" in the mapping\'s method. ' +
      `Wipe the data: rm -rf '${data}'`,
  },
  {
    sign: /BindException|Address already in use|BindHttpException|BindTransportException/,
    advice: () => "Another program took its port meanwhile: start again, or choose another port.",
  },
  {
    sign: /failed to obtain node lock|LockObtainFailedException/i,
    advice: ({ data }) => `Another server is using ${data}: stop that one first.`,
  },
  {
    sign: /OutOfMemoryError|insufficient memory|Could not reserve enough space/,
    advice: () => "It ran out of memory: give it a larger heap, or end other programs.",
  },
  {
    sign: /cannot downgrade a node|cannot upgrade a node|Could not load codec|index created version|IndexFormatTooNew/i,
    advice: ({ data }) => `Another version of OpenSearch wrote the data. Wipe it: rm -rf '${data}'`,
  },
  {
    sign: /No space left on device/,
    advice: () => "The disk is full.",
  },
];

/** Returns why the server of this folder died: advice if its log shows a known cause, and the end of the log. */
export function diagnose(folder: NodeFolder): string {
  const log = logTail(folder.console, 200);
  const cause = CAUSES.find(({ sign }) => sign.test(log));
  const lines = log.split("\n").slice(-20);
  return [
    ...(cause ? [cause.advice(folder)] : []),
    `The end of its log (${folder.console}):`,
    ...lines.map((line) => `  ${line}`),
  ].join("\n");
}
