import type { JSONObject, SharedV4ProviderMetadata, SharedV4ProviderOptions } from "@ai-sdk/provider";
import { field } from "../request/error-body.ts";
import { metadataOf } from "./signature.ts";

/** OpenRouter's name for what a model wants back with its thinking: signed texts, summaries, what is encrypted. */
const FIELD = "reasoning_details";
/** Under this name the SDK takes fields of a message as they are. */
const MESSAGE_FIELDS = "openaiCompatible";
/** Fields of a detail that come in pieces. */
const STREAMED = ["text", "summary", "data"] as const;

type Detail = Record<string, unknown>;

/**
 * Collects the details of a stream, for the SDK's option `metadataExtractor`. Pieces of one detail (neighbours of one kind, index
 * and id) are joined; what is said of it later replaces what was said before.
 * @param name under which they stand in the metadata of the last part.
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

/** The fields of a message that gives the details of a thinking block back; undefined where it has none. */
export function detailsBack(signature: string): SharedV4ProviderOptions | undefined {
  const details = Object.values(metadataOf(signature) ?? {}).map((fields) => fields[FIELD]);
  const [found] = details.filter((each) => each !== undefined);
  return found === undefined ? undefined : { [MESSAGE_FIELDS]: { [FIELD]: found } };
}

/** What of the metadata of an answer's end belongs to its thinking. */
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

/** What is encrypted for each call has the id of that call, and need not have an index. */
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
