import type { PageRequest, PageResult } from "./stage.ts";

/**
 * Returns one page of a search, in these steps: the endpoint rewrites the request (templates, embeddings), the cluster
 * retrieves and fuses, the stages change the window in the order of `PAGE_STAGES`, and the page is cut.
 *
 * The window is the same for all pages, and the cluster's list follows it. So over all pages each hit occurs exactly
 * once, whatever the stages do. Totals and aggregations are the cluster's; `stages` reports added and hidden hits.
 */
export async function searchedPage(request: PageRequest): Promise<PageResult> {
  const { page, stages, declined } = request;
  if (stages.length > 0 && page && page.size > 0) {
    // Most searches have no stages, and do not load them.
    const { stagedPage } = await import("./staged-page.ts");
    return stagedPage(request, page);
  }
  const answer = await request.plain();
  return { answer, stages: [], areStagesTold: false, degraded: [...answer.partial, ...declined] };
}
