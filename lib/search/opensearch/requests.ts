/**
 * The functions' own requests, made by the client's methods. Each method is imported from its own file: all together
 * take as long to load as the gateway. Texts of callers are sent unchanged, without a method.
 */
import type { API } from "@opensearch-project/opensearch";
import infoMethod from "@opensearch-project/opensearch/api/_core/info.js";
import mgetMethod from "@opensearch-project/opensearch/api/_core/mget.js";
import searchShardsMethod from "@opensearch-project/opensearch/api/_core/searchShards.js";
import getMethod from "@opensearch-project/opensearch/api/indices/get.js";
import getAliasMethod from "@opensearch-project/opensearch/api/indices/getAlias.js";
import putSettingsMethod from "@opensearch-project/opensearch/api/indices/putSettings.js";
import updateAliasesMethod from "@opensearch-project/opensearch/api/indices/updateAliases.js";
import nodesInfoMethod from "@opensearch-project/opensearch/api/nodes/info.js";
import taskMethod from "@opensearch-project/opensearch/api/tasks/get.js";
import { requestOf } from "./methods.ts";

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
