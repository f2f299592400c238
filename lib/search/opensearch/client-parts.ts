/**
 * The parts of the OpenSearch client that the gateway loads. The client's files are CommonJS, but its type declarations
 * describe ES modules, so the constructors get types of our own.
 */
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import connectionClass from "@opensearch-project/opensearch/lib/Connection.js";
import { CloudConnectionPool as Pool } from "@opensearch-project/opensearch/lib/pool/index.js";
import serializerClass from "@opensearch-project/opensearch/lib/Serializer.js";
import transportClass from "@opensearch-project/opensearch/lib/Transport.js";

export interface ClientConnection {
  agent: Agent;
  makeRequest(options: RequestOptions): ClientRequest;
  buildRequestObject(params: { headers: Record<string, unknown> }): RequestOptions;
}
export type ConnectionClass = new (options: object) => ClientConnection;

export interface TransportCall extends Promise<{ statusCode: number; headers: ClientHeaders; body: IncomingMessage }> {
  abort(): void;
}
export type ClientHeaders = Readonly<Record<string, string | string[] | undefined>>;
export interface ClientTransport {
  request(params: object, options: object): TransportCall;
}
export type TransportClass = new (options: object) => ClientTransport;

export const ClientConnection = connectionClass as unknown as ConnectionClass;
export const ClientTransport = transportClass as unknown as TransportClass;
export const ClientSerializer = serializerClass as unknown as new () => object;
export const ConnectionPool = Pool as unknown as new (options: object) => { addConnection(node: string): void };
