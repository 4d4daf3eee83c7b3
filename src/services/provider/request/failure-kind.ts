import type { ProviderFailureKind } from "../../../contracts/errors.ts";
import { refusedCount } from "./count-limit.ts";
import { saysTooLong } from "./too-long.ts";

/** Messages for an image that is too large, or that the server can't read. */
const IMAGE_REFUSED: readonly RegExp[] = [
  /image_too_large|image_parse_error/i,
  // Anthropic, Google, OpenAI
  /could not process image|unable to process input image|unsupported image|invalid image|image data/i,
  /\b(failed|unable) to (decode|load|open|process) (the )?image/i,
  /\bimages?\b[^.]{0,120}\b(exceeds?|too (large|big)|larger than)\b/i,
  /\b(exceeds?|too (large|big)|larger than)\b[^.]{0,60}\bimages?\b/i,
];
const TOO_MANY_IMAGES = /\btoo many images\b/i;
const REFUSALS: ReadonlySet<number> = new Set([400, 413, 422]);

/**
 * The recovery that could help after a refusal.
 * @param words The error's type, code and message.
 * @param sentTokens The estimated input tokens of the refused request, if known.
 */
export function refusalKind(status: number, words: string, sentTokens?: number): ProviderFailureKind | undefined {
  // llama.cpp, LM Studio and gateways fail with 500 where other servers refuse.
  if (status === 500) return saysTooLong(words) ? "too_long" : TOO_MANY_IMAGES.test(words) ? "too_many" : undefined;
  if (!REFUSALS.has(status)) return undefined;
  if (status !== 413 && refusedCount(words)) return "too_many";
  // A limit in tokens is the window's, although the text may name images too.
  const isImage = !/\btokens\b/i.test(words) && IMAGE_REFUSED.some((pattern) => pattern.test(words));
  if (isImage) return "image_too_large";
  return status === 413 || saysTooLong(words, sentTokens) ? "too_long" : undefined;
}
