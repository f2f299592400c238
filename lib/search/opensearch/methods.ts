import { Serializer } from "@opensearch-project/opensearch";
import type { ClusterRequest } from "./cluster.ts";

/** The request that a method of the client hands to the transport. */
interface Sent {
  method: string;
  path: string;
  querystring: object;
  body?: object | "";
}

type Method = (this: { transport: { request(sent: Sent): Sent } }, params: object) => Sent;

/** The parameters of a method, with any object as body. */
type MethodParameters<Request> = Omit<Request, "body"> &
  ("body" extends keyof Request ? Pick<Body<Request>, "body"> : object);
type Body<Request> = Request extends { body: unknown } ? { body: object } : { body?: object };

const serializer = new Serializer();

const RETURNED = { transport: { request: (sent: Sent) => sent } };

/**
 * Returns a method of the client as a function that makes a request: a value that can be sent again, with a time limit of
 * its own, to the cluster or through the gateway. A method does nothing else but pass that request to the transport.
 *
 * `method` is what its file exports. The declarations of the package describe only its parameters.
 */
export function requestOf<Request>(method: object): (params: MethodParameters<Request>) => ClusterRequest {
  return (params) => {
    const { method: verb, path, querystring, body } = (method as Method).call(RETURNED, params);
    const query = serializer.qserialize(querystring);
    return {
      method: verb,
      path,
      ...(query !== "" && { query }),
      ...(body && { headers: { "content-type": "application/json" }, body: serializer.serialize(body) }),
    };
  };
}
