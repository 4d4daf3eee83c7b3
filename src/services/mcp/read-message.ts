import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";

/** JSON-RPC: the program that was to answer has a fault. */
export const INTERNAL_ERROR = -32603;

/**
 * A value as a JSON-RPC message; undefined when it is none. An answer that names its request but is not formed as one becomes an
 * error: the library would pass over it, and the request would wait for ever.
 */
export function readMessage(value: unknown): JSONRPCMessage | undefined {
  if (!isObject(value) || value["jsonrpc"] !== "2.0") return undefined;
  const { id } = value;
  const isAnswer = value["method"] === undefined && (typeof id === "number" || typeof id === "string");
  if (!isAnswer || isFormed(value)) return value as JSONRPCMessage;
  const message = "its answer is not what the protocol asks for";
  return { jsonrpc: "2.0", id, error: { code: INTERNAL_ERROR, message } };
}

function isFormed({ result, error }: Readonly<Record<string, unknown>>): boolean {
  if (isObject(result)) return error === undefined;
  return isObject(error) && Number.isSafeInteger(error["code"]) && typeof error["message"] === "string";
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
