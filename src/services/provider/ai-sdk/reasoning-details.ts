import type { JSONObject, SharedV4ProviderMetadata, SharedV4ProviderOptions } from "@ai-sdk/provider";
import { field } from "../request/error-body.ts";
import { metadataOf } from "./signature.ts";

/** OpenRouter's field for data that a model expects back with its thinking: signed texts, summaries, encrypted data. */
const FIELD = "reasoning_details";
/** The SDK copies message fields under this name unchanged. */
const MESSAGE_FIELDS = "openaiCompatible";
/** Fields of a detail that arrive in pieces. */
const STREAMED = ["text", "summary", "data"] as const;

type Detail = Record<string, unknown>;

/**
 * Collects the details of a stream, for the SDK's option `metadataExtractor`. Pieces of one detail (neighbours with the same kind, index
 * and id) are joined; later values replace earlier ones.
 * @param name The key of the details in the metadata of the last part.
 */
export function detailsExtractor(name: string) {
  return {
    extractMetadata: async () => undefined,
    createStreamExtractor() {
      const details: Detail[] = [];
      return {
        processChunk(chunk: unknown) {
          for (const piece of detailsIn(chunk)) addPiece(details, piece);
        },
        buildMetadata: (): SharedV4ProviderMetadata | undefined =>
          details.length === 0 ? undefined : { [name]: { [FIELD]: details as JSONObject[] } },
      };
    },
  };
}

/** The message fields that return the details of a thinking block; undefined if the block has none. */
export function detailsBack(signature: string): SharedV4ProviderOptions | undefined {
  const details = Object.values(metadataOf(signature) ?? {}).map((fields) => fields[FIELD]);
  const [found] = details.filter((each) => each !== undefined);
  return found === undefined ? undefined : { [MESSAGE_FIELDS]: { [FIELD]: found } };
}

/** The part of an answer's final metadata that belongs to its thinking. */
export function detailsOf(metadata: SharedV4ProviderMetadata | undefined): SharedV4ProviderMetadata | undefined {
  const kept = Object.entries(metadata ?? {}).flatMap(([name, fields]) =>
    fields[FIELD] === undefined ? [] : [[name, { [FIELD]: fields[FIELD] }] as const],
  );
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function detailsIn(chunk: unknown): readonly Detail[] {
  const choices = field(chunk, "choices");
  const delta = Array.isArray(choices) ? field(choices[0], "delta") : undefined;
  const details = field(delta, FIELD);
  return Array.isArray(details) ? details.filter((detail) => typeof detail === "object" && detail !== null) : [];
}

/** Encrypted data of a call has the call's id and may have no index. */
function haveOtherIds({ id: one }: Detail, { id: other }: Detail): boolean {
  return typeof one === "string" && typeof other === "string" && one !== other;
}

function addPiece(details: Detail[], piece: Detail): void {
  const last = details.at(-1);
  if (!last || last["type"] !== piece["type"] || last["index"] !== piece["index"] || haveOtherIds(last, piece)) {
    details.push({ ...piece });
    return;
  }
  for (const [name, value] of Object.entries(piece)) {
    if (value === null || value === undefined) continue;
    const before = last[name];
    const isJoined = STREAMED.some((one) => one === name) && typeof before === "string" && typeof value === "string";
    last[name] = isJoined ? before + value : value;
  }
}
