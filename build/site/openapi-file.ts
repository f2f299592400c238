/** A schema, as far as pages show it. */
export interface Schema {
  $ref?: string;
  type?: string;
  description?: string;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  anyOf?: readonly Schema[];
  items?: Schema;
  enum?: readonly unknown[];
  const?: unknown;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
}

interface Content {
  "application/json"?: { schema: Schema; example?: unknown };
}

interface Response {
  $ref?: string;
  description?: string;
  content?: Content;
}

/** One method of a path. */
export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  requestBody?: { content: Content };
  responses: Readonly<Record<string, Response>>;
}

/** An OpenAPI document of docs/reference. */
export interface OpenApiFile {
  info: { title: string; description: string };
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components: { schemas: Readonly<Record<string, Schema>>; responses: Readonly<Record<string, Response>> };
}

/** An operation with its method and path. */
export interface Described extends Operation {
  method: string;
  path: string;
}

/** Returns the operations that have a body of JSON: all but the cluster's own API. */
export function describedOperations({ paths }: OpenApiFile): Described[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) =>
      operation.requestBody?.content["application/json"]?.example === undefined
        ? []
        : [{ ...operation, method: method.toUpperCase(), path }],
    ),
  );
}

/** Returns the example of a request. */
export const exampleOf = ({ requestBody }: Operation): unknown => requestBody?.content["application/json"]?.example;
