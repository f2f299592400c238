declare global {
  interface Window {
    /** What the server puts into the page. */
    gateway: { url: string; key: string; index: string };
    /** What went wrong, for the test. */
    errors: string[];
  }
}

window.errors = [];

/** The gateway of a test's page, and its index of products. */
export const { gateway } = window;
