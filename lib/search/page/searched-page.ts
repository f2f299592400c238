import type { Found, PageRequest } from "./stage.ts";

/**
 * Returns one page of a search. A page is made in this order: the endpoint rewrites the request (templates, embeddings),
 * the cluster retrieves and fuses, the stages change the window in the order of `PAGE_STAGES`, and the page is cut last.
 *
 * The window is the same for all pages. What follows it is the cluster's list. So over all pages each hit is there exactly
 * once, whatever the stages do. Totals and aggregations stay the cluster's; `stages` tells what was added and hidden.
 */
export async function searchedPage(request: PageRequest): Promise<Found> {
  const { page, stages, declined } = request;
  if (stages.length > 0 && page && page.size > 0) {
    // Most searches have no stages, and do not load them.
    const { stagedPage } = await import("./staged-page.ts");
    return stagedPage(request, page);
  }
  const answer = await request.plain();
  return { answer, stages: [], areStagesTold: false, degraded: [...answer.partial, ...declined] };
}
