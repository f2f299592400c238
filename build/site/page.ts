/** A page of the site: its path from the site's root, its title, and its text with links between pages. */
export interface Page {
  path: string;
  title: string;
  text: string;
}
