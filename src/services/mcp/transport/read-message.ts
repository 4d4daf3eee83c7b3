import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { isJsonObject } from "../../../contracts/message.ts";

/** JSON-RPC: an error in the answering program. */
export const INTERNAL_ERROR = -32603;

/**
 * Parses a JSON-RPC message; undefined for any other value. A malformed answer with a request id becomes an
 * error, because the library would ignore it and the request would wait forever.
 */
export function readMessage(value: unknown): JSONRPCMessage | undefined {
  if (!isJsonObject(value) || value["jsonrpc"] !== "2.0") return undefined;
  const { id } = value;
  const isAnswer = value["method"] === undefined && (typeof id === "number" || typeof id === "string");
  if (!isAnswer || isFormed(value)) return value as JSONRPCMessage;
  const message = "its answer does not follow the protocol";
  return { jsonrpc: "2.0", id, error: { code: INTERNAL_ERROR, message } };
}

function isFormed({ result, error }: Readonly<Record<string, unknown>>): boolean {
  if (isJsonObject(result)) return error === undefined;
  return isJsonObject(error) && Number.isSafeInteger(error["code"]) && typeof error["message"] === "string";
}
