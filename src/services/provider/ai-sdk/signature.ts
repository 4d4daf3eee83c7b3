import type { SharedV4ProviderMetadata } from "@ai-sdk/provider";

/** An item's id alone is good for nothing: OpenAI keeps no items for us. */
const ITEM_ID = "itemId";

/**
 * What a vendor wants back with a block (encrypted reasoning and the id of its item, a thought's signature), as the
 * opaque text that the history keeps. Empty where there is nothing of use.
 */
export function signatureOf(metadata: SharedV4ProviderMetadata | undefined): string {
  const isUseful = Object.values(metadata ?? {}).some((fields) => Object.keys(fields).some((name) => name !== ITEM_ID));
  return isUseful ? JSON.stringify(metadata) : "";
}

/** The way back. Undefined for a text that is no signature of ours. */
export function metadataOf(signature: string | undefined): SharedV4ProviderMetadata | undefined {
  if (!signature?.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(signature);
    return typeof value === "object" && value !== null ? (value as SharedV4ProviderMetadata) : undefined;
  } catch {
    return undefined;
  }
}

/** What later parts of a block say replaces what earlier ones said; null and undefined say nothing. */
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
