/**
 * Tag of every resource of a project, with project_name as its value. Discovery uses it to distinguish resources that
 * this project's Terraform owns from those that existed before.
 */
export const PROJECT_TAG = "relevance:project";

/** Tag with the name of the Terraform stack that a resource belongs to. */
export const STACK_TAG = "relevance:stack";
