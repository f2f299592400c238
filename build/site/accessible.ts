/*
 * What the generator and its theme leave out for those who listen to a page. The functions are written into the configuration
 * of the site, so they use nothing of this file.
 */

/**
 * Returns the frame of the theme's pages, with the role that the theme gives to pages of text alone: the first page and the one
 * for dead links are the main part, too. Undefined for other files.
 */
export const withMain = (code: string, file: string): string | undefined =>
  file.endsWith("/VPContent.vue")
    ? code.replace(
        'id="VPContent"',
        `id="VPContent" :role="page.isNotFound || frontmatter.layout === 'home' ? 'main' : undefined"`,
      )
    : undefined;

/** A part of a page, as the Markdown parser gives it. */
interface Token {
  type: string;
  tag: string;
  content: string;
}

/** Makes the heads of columns that have no name ordinary cells. */
export const withoutEmptyHeads = ({ tokens }: { tokens: readonly Token[] }): void => {
  for (const [at, token] of tokens.entries()) {
    const isHead = token.type === "th_open" || token.type === "th_close";
    if (isHead && tokens[token.type === "th_open" ? at + 1 : at - 1]?.content === "") token.tag = "td";
  }
};
