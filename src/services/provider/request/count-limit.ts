import type { CountLimit } from "../../../contracts/errors.ts";

/** A size in other units than pieces: such a refusal is about one image or document, or about the window. */
const OTHER_UNIT = /\b(bytes?|[kmg]i?b|pixels?|px|dimensions?|resolution|tokens?|width|height)\b/i;
const TOO_MANY = /\btoo (?:many|much)\b|\barray too long\b/i;
const IMAGES = /\b(images?|pictures?|photos?)\b/i;
const DOCUMENTS = /\b(documents?|pdfs?|pages?)\b/i;
const MEDIA = /\b(media|attachments?)\b/i;
const TOOLS = /\b(tools|functions)\b/i;
const TOOL_COUNT = /\b\d+ (tools|functions)\b/i;
/** No server states a larger limit for a count. */
const MAX_COUNT = 10_000;
/** Anthropic: `104 + 1 > 100`. */
const ABOVE = /> ?(\d+)/;
/** OpenAI, of any list. */
const LIST = /\barray with maximum length (\d+)/i;
/** vLLM, Mistral, Groq, Copilot, OpenAI: a word for a limit, then its number. */
const LIMIT =
  /\b(?:at most|up to|maximum(?: number)?(?: of)?|max(?:imum)?(?: allowed)?(?: is| of)?|limit(?: is| of)?|fewer than|no more than)[:\s]+(\d+)\b/i;

/**
 * A refusal because a request has more images, documents or tools than the server takes; undefined for any other refusal.
 * Sources: Anthropic's, vLLM's, Mistral's, Groq's, GitHub Copilot's and OpenAI's refusals, from user reports.
 * @param words The error's type, code and message.
 */
export function refusedCount(words: string): CountLimit | undefined {
  const text = words.replaceAll("_", " ");
  if (OTHER_UNIT.test(text)) return undefined;
  const stated = ABOVE.exec(text)?.[1] ?? LIST.exec(text)?.[1] ?? LIMIT.exec(text)?.[1];
  if (!TOO_MANY.test(text) && stated === undefined) return undefined;
  if (Number(stated) > MAX_COUNT) return undefined;
  const what = kindIn(text);
  // A tool's own parts have limits too.
  if (what === undefined || (what === "tools" && !TOO_MANY.test(text) && !TOOL_COUNT.test(text))) return undefined;
  return { what, ...(stated !== undefined && { max: Number(stated) }) };
}

function kindIn(text: string): CountLimit["what"] | undefined {
  const [images, documents] = [IMAGES.test(text), DOCUMENTS.test(text)];
  if (MEDIA.test(text) || (images && documents)) return "media";
  if (images) return "images";
  if (documents) return "documents";
  return TOOLS.test(text) ? "tools" : undefined;
}
