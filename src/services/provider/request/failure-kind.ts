import type { ProviderFailureKind } from "../../../contracts/errors.ts";

/** Messages for a prompt that is too long, of each vendor and of common local servers. */
const TOO_LONG: readonly RegExp[] = [
  // Anthropic, Bedrock, Vertex
  /prompt is too long|input is too long|input length and `?max_tokens`? exceed|exceeds? (the )?(maximum |max )?context (limit|window)/i,
  // OpenAI, DeepSeek, OpenRouter, vLLM
  /context_length_exceeded|maximum context length|(maximum|max) model length|exceeds the context window|reduce the length of the (messages|input|prompt)/i,
  // Google
  /input token count .*exceeds the maximum|exceeds the maximum number of tokens allowed/i,
  // xAI, Mistral, Together
  /maximum prompt length is \d+|too (large|long) for model|inputs?`? tokens \+ `?max_new_tokens`? must be/i,
  // llama.cpp, LM Studio, Ollama
  /exceed(s|_)? ?(the )?(available )?context[ _]size|context (length|window) (of|is) (only )?\d+|greater than the context length|context the overflows|exceeds (the )?(maximum )?context length/i,
  /request_too_large/,
];
/** Messages for an image that is too large, or that the server can't read. */
const IMAGE_REFUSED: readonly RegExp[] = [
  /image_too_large|image_parse_error/i,
  // Anthropic, Google, OpenAI
  /could not process image|unable to process input image|unsupported image|invalid image|image data/i,
  /\b(failed|unable) to (decode|load|open|process) (the )?image/i,
  /\bimages?\b[^.]{0,120}\b(exceeds?|too (large|big)|larger than)\b/i,
  /\b(exceeds?|too (large|big)|larger than)\b[^.]{0,60}\bimages?\b/i,
];
const REFUSALS: ReadonlySet<number> = new Set([400, 413, 422]);

/** The recovery that could help after a refusal. @param words The error's type, code and message. */
export function refusalKind(status: number, words: string): ProviderFailureKind | undefined {
  // llama.cpp and LM Studio fail with 500 where other servers refuse.
  if (!REFUSALS.has(status) && status !== 500) return undefined;
  if (status !== 500 && IMAGE_REFUSED.some((pattern) => pattern.test(words))) return "image_too_large";
  if (status === 413 || TOO_LONG.some((pattern) => pattern.test(words))) return "too_long";
  return undefined;
}
