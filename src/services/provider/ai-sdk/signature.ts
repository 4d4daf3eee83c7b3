import type { SharedV4ProviderMetadata } from "@ai-sdk/provider";
import { parsedObject } from "../../../contracts/parsed-json.ts";

/** An item's id alone is useless, because OpenAI stores no items for us. */
const ITEM_ID = "itemId";

/**
 * The data that a vendor expects back with a block (encrypted reasoning with its item id, a thought's signature), as
 * the opaque text in the history. Empty if there is no useful data.
 */
export function signatureOf(metadata: SharedV4ProviderMetadata | undefined): string {
  const isUseful = Object.values(metadata ?? {}).some((fields) => Object.keys(fields).some((name) => name !== ITEM_ID));
  return isUseful ? JSON.stringify(metadata) : "";
}

/** The inverse. Undefined for a text that is not a signature of Quoll. */
export function metadataOf(signature: string | undefined): SharedV4ProviderMetadata | undefined {
  if (!signature?.startsWith("{")) return undefined;
  return parsedObject(signature) as SharedV4ProviderMetadata | undefined;
}

/** Values in later parts of a block replace earlier ones; null and undefined are ignored. */
export function mergedMetadata(
  before: SharedV4ProviderMetadata | undefined,
  next: SharedV4ProviderMetadata | undefined,
): SharedV4ProviderMetadata | undefined {
  if (!next) return before;
  const merged: SharedV4ProviderMetadata = { ...before };
  for (const [vendor, fields] of Object.entries(next)) {
    const filled = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
    merged[vendor] = { ...merged[vendor], ...Object.fromEntries(filled) };
  }
  return merged;
}
