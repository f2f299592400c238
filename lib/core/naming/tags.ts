/**
 * Tag that every resource of a project carries, with project_name as its value. Discovery tells by it what Terraform of
 * this project made, and so goes on owning, from what was there before.
 */
export const PROJECT_TAG = "relevance:project";

/** Tag with the name of the Terraform stack that a resource belongs to. */
export const STACK_TAG = "relevance:stack";
