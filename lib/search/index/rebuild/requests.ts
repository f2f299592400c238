/** Requests of the commands that work on indexes, made by the client's methods. */
import type { API } from "@opensearch-project/opensearch";
import countMethod from "@opensearch-project/opensearch/api/_core/count.js";
import deleteDocumentMethod from "@opensearch-project/opensearch/api/_core/delete.js";
import getDocumentMethod from "@opensearch-project/opensearch/api/_core/get.js";
import indexDocumentMethod from "@opensearch-project/opensearch/api/_core/index.js";
import searchMethod from "@opensearch-project/opensearch/api/_core/search.js";
import addBlockMethod from "@opensearch-project/opensearch/api/indices/addBlock.js";
import createMethod from "@opensearch-project/opensearch/api/indices/create.js";
import deleteMethod from "@opensearch-project/opensearch/api/indices/delete.js";
import getSettingsMethod from "@opensearch-project/opensearch/api/indices/getSettings.js";
import refreshMethod from "@opensearch-project/opensearch/api/indices/refresh.js";
import statsMethod from "@opensearch-project/opensearch/api/indices/stats.js";
import type { ClusterRequest } from "../../opensearch/cluster.ts";
import * as shared from "../../opensearch/requests.ts";
import { requestOf } from "../../opensearch/requests.ts";

const refreshByGet = requestOf<API.Indices_Refresh_Request>(refreshMethod);

export const indices = {
  ...shared.indices,
  addBlock: requestOf<API.Indices_AddBlock_Request>(addBlockMethod),
  create: requestOf<API.Indices_Create_Request>(createMethod),
  delete: requestOf<API.Indices_Delete_Request>(deleteMethod),
  getSettings: requestOf<API.Indices_GetSettings_Request>(getSettingsMethod),
  /** Sent by POST instead of the client's GET, which a key for administration may not use. */
  refresh: (params: API.Indices_Refresh_Request): ClusterRequest => ({ ...refreshByGet(params), method: "POST" }),
  stats: requestOf<API.Indices_Stats_Request>(statsMethod),
};

export const documents = {
  count: requestOf<API.Count_Request>(countMethod),
  delete: requestOf<API.Delete_Request>(deleteDocumentMethod),
  get: requestOf<API.Get_Request>(getDocumentMethod),
  index: requestOf<API.Index_Request>(indexDocumentMethod),
  mget: shared.mget,
  search: requestOf<API.Search_Request>(searchMethod),
};
