// The requests of the site's pages, which stand there in three languages, as programs.
import { pagesOf } from "../../build/site/pages.ts";

/** An API's page, whose requests are run against one service. */
const API_PAGES = [
  { path: "reference/search-gateway.md", url: "GATEWAY_URL" },
  { path: "reference/recommendation-service.md", url: "RECOMMENDATION_URL" },
];

/** One request: the variable with the service's URL, and its code by the name of the tab. */
interface Request {
  url: string;
  code: ReadonlyMap<string, string>;
}

/** A request of an API's page, with its endpoint. */
interface EndpointRequest extends Request {
  endpoint: string;
}

/** A request of a guide, with the guide's name and the request's path. */
interface GuideRequest extends Request {
  guide: string;
  path: string;
}

const pages = pagesOf();

/** Returns the requests of the APIs' pages in the order of the pages. */
export function printedRequests(): EndpointRequest[] {
  return API_PAGES.flatMap(({ path, url }) => {
    const { text = "" } = pages.find((page) => page.path === path) ?? {};
    return [...text.matchAll(/^`(\w+ \/\S+)`$(?:(?!^## )[\s\S])*?^::: code-group\n([\s\S]*?)\n:::$/gm)].map(
      ([, endpoint = "", group = ""]) => ({ endpoint, url, code: tabsIn(group) }),
    );
  });
}

/** Returns the requests of the guides, each guide's in its order. */
export const guideRequests = (): GuideRequest[] =>
  pages
    .filter(({ path }) => path.startsWith("guides/"))
    .flatMap(({ path: guide, text }) =>
      [...text.matchAll(/^::: code-group\n([\s\S]*?)\n:::$/gm)].map(([, group = ""]) => {
        const code = tabsIn(group);
        const path = /"\$URL([^"]*)"/.exec(code.get("curl") ?? "")?.[1] ?? "";
        const url = /^\/(application|raw-backend)\//.test(path) ? "GATEWAY_URL" : "RECOMMENDATION_URL";
        return { guide, path, url, code };
      }),
    );

const tabsIn = (group: string) =>
  new Map([...group.matchAll(/^```\w+ \[(\w+)\]\n([\s\S]*?)\n```$/gm)].map(([, name = "", code = ""]) => [name, code]));

/** What programs print between answers, which may have line breaks, since they repeat what was sent. */
export const BETWEEN = "--";

/**
 * Returns a script that makes the requests one after the other, and prints the answers. Later requests use the task that
 * an earlier one started.
 */
export const shellScript = (requests: readonly Request[]): string =>
  [
    `note() {
  printf '%s\\n${BETWEEN}\\n' "$1"
  started=$(printf %s "$1" | sed -n 's/.*"task":"\\([^"]*\\)".*/\\1/p')
  TASK=\${started:-$TASK}
}
KEY=$API_KEY`,
    ...requests.map(
      ({ url, code }) =>
        `URL=$${url}\nanswer=$(${code.get("curl")?.replace(/^curl /, "curl -sS --fail-with-body ")})\nnote "$answer"`,
    ),
  ].join("\n");

/** Returns a program that does the same. */
export const typeScriptProgram = (requests: readonly Request[]): string =>
  [
    `import { Relevance } from "@relevance/client";
const key = process.env.API_KEY ?? "";
let task = "";
function note(answer: unknown) {
  console.log(JSON.stringify(answer) + "\\n${BETWEEN}");
  const { task: started } = Object(answer);
  if (typeof started === "string") task = started;
}`,
    ...requests.map(
      ({ url, code }) => `{\nconst url = process.env.${url} ?? "";\n${code.get("TypeScript")}\nnote(answer);\n}`,
    ),
  ].join("\n");

/** Returns a program that does the same. */
export const pythonProgram = (requests: readonly Request[]): string =>
  [
    `import json
import os

from relevance_client import Relevance

key = os.environ["API_KEY"]
task = ""


def note(answer):
    global task
    print(json.dumps(answer), "${BETWEEN}", sep="\\n")
    started = answer.get("task") if isinstance(answer, dict) else None
    task = started if isinstance(started, str) else task`,
    ...requests.map(({ url, code }, at) => {
      const body = code.get("Python")?.replaceAll(/^/gm, "    ");
      return `\n\ndef request_${at}(url: str) -> None:\n${body}\n    note(answer)\n\n\nrequest_${at}(os.environ["${url}"])`;
    }),
  ].join("\n");
