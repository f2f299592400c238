import { type API, Serializer } from "@opensearch-project/opensearch";
import infoMethod from "@opensearch-project/opensearch/api/_core/info.js";
import mgetMethod from "@opensearch-project/opensearch/api/_core/mget.js";
import searchShardsMethod from "@opensearch-project/opensearch/api/_core/searchShards.js";
import getMethod from "@opensearch-project/opensearch/api/indices/get.js";
import getAliasMethod from "@opensearch-project/opensearch/api/indices/getAlias.js";
import putSettingsMethod from "@opensearch-project/opensearch/api/indices/putSettings.js";
import updateAliasesMethod from "@opensearch-project/opensearch/api/indices/updateAliases.js";
import nodesInfoMethod from "@opensearch-project/opensearch/api/nodes/info.js";
import taskMethod from "@opensearch-project/opensearch/api/tasks/get.js";
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

/**
 * The functions' own requests, made by the client's methods. Each method is imported from its own file: all together
 * take as long to load as the gateway. Texts of callers are sent unchanged, without a method.
 */
export const info = requestOf<API.Info_Request>(infoMethod);
export const mget = requestOf<API.Mget_Request>(mgetMethod);
export const searchShards = requestOf<API.SearchShards_Request>(searchShardsMethod);
export const nodes = { info: requestOf<API.Nodes_Info_Request>(nodesInfoMethod) };
export const tasks = { get: requestOf<API.Tasks_Get_Request>(taskMethod) };
export const indices = {
  get: requestOf<API.Indices_Get_Request>(getMethod),
  getAlias: requestOf<API.Indices_GetAlias_Request>(getAliasMethod),
  putSettings: requestOf<API.Indices_PutSettings_Request>(putSettingsMethod),
  updateAliases: requestOf<API.Indices_UpdateAliases_Request>(updateAliasesMethod),
};
