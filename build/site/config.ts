import type { Page } from "./page.ts";
import { READERS } from "./readers.ts";

/** Returns the configuration of the site: the guides of each reader in order, then the reference. */
export function siteConfig(pages: readonly Page[]): object {
  const item = (path: string) => {
    const page = pages.find((one) => one.path === path);
    if (!page) throw new Error(`the site has no page ${path}`);
    return { text: page.title, link: `/${path.replace(/(index)?\.md$/, "")}` };
  };
  // Not to be collapsed: the theme's buttons for that stand inside other buttons, which screen readers do not reach.
  const group = (text: string, paths: readonly string[]) => ({ text, items: paths.map(item) });
  return {
    ...{ title: "Relevance", lang: "en", cleanUrls: false, lastUpdated: false },
    description: "A search gateway for Amazon OpenSearch and a recommendation service over Amazon Personalize.",
    // The texts are ours, but what they say in angle brackets is not HTML.
    markdown: { html: false, theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" } },
    themeConfig: {
      // The name for screen readers contains what is shown.
      notFound: { linkLabel: "Take me home" },
      outline: [2, 3],
      nav: READERS.map(({ name, guides: [first] }) => ({ text: name, link: `/guides/${first}.html` })),
      sidebar: [
        ...READERS.map(({ name, guides }) =>
          group(
            name,
            guides.map((guide) => `guides/${guide}.md`),
          ),
        ),
        group("Clients", ["clients/typescript.md", "clients/python.md"]),
        group("Reference", [
          "reference/search-gateway.md",
          "reference/recommendation-service.md",
          "reference/configuration.md",
          "reference/degraded.md",
          "reference/refusals.md",
          "reference/request-log.md",
          "reference/sizing.md",
          "reference/alarms.md",
          "reference/permissions.md",
          "reference/frameworks.md",
          "reference/packages.md",
          "benchmarks.md",
          "ended-benchmarks.md",
        ]),
        group("The project", [
          "architecture.md",
          "decisions/index.md",
          "contributing.md",
          "changelog.md",
          "security.md",
        ]),
      ],
    },
  };
}

/** Returns `llms.txt`: for each reader the guides in order, with links to their Markdown. */
export function llmsText(pages: readonly Page[]): string {
  const line = ({ title, path }: Page) => `- [${title}](/${path})`;
  const sections = READERS.map(({ name, about, guides }) => {
    const own = guides.flatMap((guide) => pages.filter(({ path }) => path === `guides/${guide}.md`));
    return `## ${name}\n\n${about}\n\n${own.map(line).join("\n")}`;
  });
  const reference = pages.filter(({ path }) => path.startsWith("reference/") || path.startsWith("clients/"));
  return [
    "# Relevance",
    "> A search gateway for Amazon OpenSearch and a recommendation service over Amazon Personalize, deployed from YAML files by Terraform.",
    ...sections,
    `## Reference\n\n${reference.map(line).join("\n")}\n`,
  ].join("\n\n");
}
