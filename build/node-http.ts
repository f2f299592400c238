import type { Plugin } from "esbuild";

/**
 * Takes `node:http` from `process.getBuiltinModule`. An `import` reads every export of a module, and three of this one's
 * load Node's own fetch with HTTP/2 when they are read, a third of the gateway's cold start.
 */
export const nodeHttp: Plugin = {
  name: "node-http",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?http$/ }, () => ({ path: "http", namespace: "node-http" }));
    onLoad({ filter: /^http$/, namespace: "node-http" }, () => ({
      contents: 'module.exports = process.getBuiltinModule("node:http");',
    }));
  },
};
