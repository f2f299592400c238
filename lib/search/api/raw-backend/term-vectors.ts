import type { Issue } from "../../../core/http/error.ts";
import { isObject, parseJson } from "../../../core/json/values.ts";

/**
 * Returns an issue for a body of `_termvectors` or `_mtermvectors` that the cluster would never finish reading. Its
 * parser (TermVectorsRequest.parseRequest) reads up to the end of an object and does not notice the end of the text, so
 * a body that is not an object, or a `filter` that is not one, occupies a thread until the node is restarted.
 */
export function termVectorsIssue(text: string): Issue | undefined {
  const body = parseJson(text);
  if (!isObject(body)) return { path: "", message: "must be a JSON object" };
  const { docs } = body;
  const requests: Array<[path: string, request: unknown]> = [
    ["filter", body],
    ["parameters.filter", body.parameters],
    ...(Array.isArray(docs) ? docs.map((doc, index): [string, unknown] => [`docs.${index}.filter`, doc]) : []),
  ];
  const endless = requests.find(
    ([, request]) => isObject(request) && Object.hasOwn(request, "filter") && !isObject(request.filter),
  );
  return endless && { path: endless[0], message: "must be an object" };
}
