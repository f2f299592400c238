// The requests of the site's API pages, which stand there in three languages, as programs.
import { pagesOf } from "../../build/site/pages.ts";

/** A page whose requests are run against one service. */
const PAGES = [
  { path: "reference/search-gateway.md", url: "GATEWAY_URL" },
  { path: "reference/recommendation-service.md", url: "RECOMMENDATION_URL" },
];

/** One request: its endpoint, the variable with the service's URL, and its code by the name of the tab. */
interface Request {
  endpoint: string;
  url: string;
  code: ReadonlyMap<string, string>;
}

/** Returns the requests of both services in the order of the pages, in which they can be made one after the other. */
export function printedRequests(): Request[] {
  const pages = pagesOf();
  return PAGES.flatMap(({ path, url }) => {
    const { text = "" } = pages.find((page) => page.path === path) ?? {};
    return [...text.matchAll(/^`(\w+ \/\S+)`$(?:(?!^## )[\s\S])*?^::: code-group\n([\s\S]*?)\n:::$/gm)].map(
      ([, endpoint = "", group = ""]) => ({ endpoint, url, code: tabsIn(group) }),
    );
  });
}

const tabsIn = (group: string) =>
  new Map([...group.matchAll(/^```\w+ \[(\w+)\]\n([\s\S]*?)\n```$/gm)].map(([, name = "", code = ""]) => [name, code]));

/** What programs print between answers, which may have line breaks, since they repeat what was sent. */
export const BETWEEN = "--";

/** Returns a script that makes the requests one after the other, and prints the answers. */
export const shellScript = (requests: readonly Request[]): string =>
  requests
    .map(
      ({ url, code }) =>
        `URL=$${url} KEY=$API_KEY\n${code.get("curl")?.replace(/^curl /, "curl -sS --fail-with-body ")}\nprintf '\\n${BETWEEN}\\n'`,
    )
    .join("\n");

/** Returns a program that does the same. */
export const typeScriptProgram = (requests: readonly Request[]): string =>
  [
    'import { Relevance } from "@relevance/client";',
    'const key = process.env.API_KEY ?? "";',
    ...requests.map(
      ({ url, code }) =>
        `{\nconst url = process.env.${url} ?? "";\n${code.get("TypeScript")}\nconsole.log(JSON.stringify(answer) + "\\n${BETWEEN}");\n}`,
    ),
  ].join("\n");

/** Returns a program that does the same. */
export const pythonProgram = (requests: readonly Request[]): string =>
  [
    "import json\nimport os\n\nfrom relevance_client import Relevance\n",
    'key = os.environ["API_KEY"]',
    ...requests.map(({ url, code }, at) => {
      const body = code.get("Python")?.replaceAll(/^/gm, "    ");
      return `\n\ndef request_${at}(url: str) -> None:\n${body}\n    print(json.dumps(answer), "${BETWEEN}", sep="\\n")\n\n\nrequest_${at}(os.environ["${url}"])`;
    }),
  ].join("\n");
