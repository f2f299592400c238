import type { Plugin } from "esbuild";

/** Parts of the OpenSearch client, and the code that takes their place in functions, which never call them. */
const REPLACED: ReadonlyArray<readonly [part: string, code: string]> = [
  // All methods, of which functions import single ones from their own files, and helpers that call them.
  ["@opensearch-project/opensearch/api/OpenSearchApi.js", "module.exports = class {};"],
  ["@opensearch-project/opensearch/lib/Helpers.js", "module.exports = class {};"],
  ["@opensearch-project/opensearch/lib/ProxyAgent.js", "module.exports = {};"],
  ["@opensearch-project/opensearch/package.json", 'module.exports = { version: "in a function" };'],
  // Numbers of any length. The gateway does not parse what it passes on.
  ["json11/", "module.exports = {};"],
  // Times as texts, and answers that the client parses.
  ["ms/", "module.exports = (time) => time;"],
  ["secure-json-parse/", "module.exports = {};"],
  // Log lines for the variable DEBUG.
  ["debug/src/index.js", "module.exports = () => () => {};"],
];

/** The package whose default credentials the client's signer imports. Functions give it their own. */
const CREDENTIALS = /^@aws-sdk\/credential-provider-node$/;

/**
 * Leaves those parts of the OpenSearch client out of functions that they never call: three quarters of its code, and a
 * third of a cold start.
 */
export const slimClient: Plugin = {
  name: "slim-client",
  setup({ onResolve, onLoad }) {
    onLoad({ filter: /node_modules\/(@opensearch-project|json11|debug|ms|secure-json-parse)\// }, ({ path }) => {
      const [, code] = REPLACED.find(([part]) => path.includes(`/node_modules/${part}`)) ?? [];
      return code === undefined ? undefined : { contents: code, loader: "js" };
    });
    onResolve({ filter: CREDENTIALS }, ({ importer, path }) =>
      importer.includes("/@opensearch-project/") ? { path, namespace: "slim-client" } : undefined,
    );
    onLoad({ filter: CREDENTIALS, namespace: "slim-client" }, () => ({ contents: "export {};" }));
  },
};
