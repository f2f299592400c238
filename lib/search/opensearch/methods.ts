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
 * Returns a client method as a function that builds a request. Such a value can be sent repeatedly, with a timeout of
 * its own, to the cluster or through the gateway: a client method only passes its request to the transport.
 *
 * `method` is the export of the method's file. The package's declarations describe only its parameters.
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
