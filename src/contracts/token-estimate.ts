import { imageHeader } from "./image-header.ts";
import { type AssistantBlock, type Message, totalInputTokens, type UserBlock } from "./message.ts";

/** The average for a whole text, such as a prompt or a schema, whose kinds of characters are not counted. */
export const CHARS_PER_TOKEN = 4;
export const JSON_CHARS_PER_TOKEN = 2;
/** Providers scale down an image whose longer side has more pixels. */
const MAX_IMAGE_SIDE = 1_568;
const PIXELS_PER_TOKEN = 750;
/** An image whose size is unknown is counted like the largest image. */
const LARGEST_IMAGE_TOKENS = 3_300;
/** The number of base64 characters that contain the header of an image, with the metadata before it. */
const IMAGE_HEADER_CHARS = 128 * 1024;
/** Characters of a PDF's base64 text per token; models read each page as text and as an image. */
const DOCUMENT_CHARS_PER_TOKEN = 16;
/** A page of a PDF whose pages are counted: its size in bytes says little, because scans are large. */
const DOCUMENT_PAGE_TOKENS = 2_500;

/** Tokens that each kind of text piece takes: fitted to two byte-pair tokenizers over code, JSON, logs, prose and CJK text. */
const WORD = 1;
/** The tokens of four further letters in a word that already has twelve letters. */
const LONG_WORD = 0.75;
/** Up to three digits. */
const DIGITS = 1.35;
const MARKS = 0.25;
const MARK = 0.4;
/** A blank after a blank. */
const INDENT = 0.03;
/** One or more ends of line. */
const LINE_END = 1.4;
/** The tokens of a Chinese, Japanese or Korean character, or of half an emoji. */
const WIDE = 0.7;
/** The tokens of a character of any other script, or of a symbol. */
const FOREIGN = 0.7;

const LETTERS_OF_LONG = 12;
const LETTERS_PER_PIECE = 4;
const DIGITS_PER_GROUP = 3;
const FIRST_WIDE = 0x2e80;

/** The classes of characters as a tokenizer splits them. A word continues over `lower`, and over capitals before a `lower`. */
const KIND = { lower: 1, upper: 2, digit: 3, blank: 4, end: 5, mark: 6, wide: 7, foreign: 8 } as const;

/**
 * Estimated tokens. `wide`: Chinese, Japanese and Korean text, where tokenizers differ most; `narrow`: all other text.
 */
export type TokenSize = { readonly narrow: number; readonly wide: number };

export const NO_TOKENS: TokenSize = { narrow: 0, wide: 0 };

export function addSizes(a: TokenSize, b: TokenSize): TokenSize {
  return { narrow: a.narrow + b.narrow, wide: a.wide + b.wide };
}

/**
 * Input tokens of a text, estimated from the kinds of its characters. The function takes about 5 ms for a million
 * characters.
 */
export function textTokens(text: string): number {
  return tokensOf(textSize(text));
}

function textSize(text: string): TokenSize {
  let tokens = 0;
  let wide = 0;
  let previous = 0;
  let run = 0;
  for (let at = 0; at < text.length; at += 1) {
    const kind = kindOf(text.charCodeAt(at));
    switch (kind) {
      case KIND.lower:
      case KIND.upper: {
        const isInWord = previous === KIND.upper || (previous === KIND.lower && kind === KIND.lower);
        run = isInWord ? run + 1 : 1;
        if (run === 1) tokens += WORD;
        else if (run >= LETTERS_OF_LONG && run % LETTERS_PER_PIECE === 0) tokens += LONG_WORD;
        break;
      }
      case KIND.digit:
        run = previous === KIND.digit ? run + 1 : 1;
        if (run % DIGITS_PER_GROUP === 1) tokens += DIGITS;
        break;
      case KIND.blank:
        if (previous === KIND.blank) tokens += INDENT;
        break;
      case KIND.end:
        if (previous !== KIND.end) tokens += LINE_END;
        break;
      case KIND.mark:
        tokens += previous === KIND.mark ? MARK : MARK + MARKS;
        break;
      case KIND.wide:
        wide += WIDE;
        break;
      default:
        tokens += FOREIGN;
    }
    previous = kind;
  }
  return { narrow: Math.ceil(tokens), wide: Math.ceil(wide) };
}

function kindOf(code: number): number {
  if (code >= 97 && code <= 122) return KIND.lower;
  if (code === 32 || code === 9) return KIND.blank;
  if (code >= 65 && code <= 90) return KIND.upper;
  if (code >= 48 && code <= 57) return KIND.digit;
  if (code === 10 || code === 13) return KIND.end;
  if (code < 128) return KIND.mark;
  return code >= FIRST_WIDE ? KIND.wide : KIND.foreign;
}

/**
 * Input tokens of the next request: the exact count of the newest request and its answer, plus an estimate of what was
 * added since. `staticChars` is the length of the prompt and the tool schemas, needed only before the first answer.
 */
export function estimateInputTokens(messages: readonly Message[], staticChars: number): number {
  const last = messages.findLastIndex((message) => message.role === "assistant" && totalInputTokens(message.usage) > 0);
  const exact = messages[last];
  const base =
    exact?.role === "assistant"
      ? totalInputTokens(exact.usage) + exact.usage.outputTokens
      : Math.ceil(staticChars / CHARS_PER_TOKEN);
  return messages.slice(last + 1).reduce((sum, { content }) => sum + blocksTokens(content), base);
}

/** The estimated total tokens of blocks. */
export function blocksTokens(content: readonly (UserBlock | AssistantBlock)[]): number {
  return tokensOf(blocksSize(content));
}

/** The estimated total tokens of blocks, by the kind of their text. */
export function blocksSize(content: readonly (UserBlock | AssistantBlock)[]): TokenSize {
  return content.reduce((sum, block) => addSizes(sum, blockSize(block)), NO_TOKENS);
}

/** A cache of the sizes of blocks; an entry is dropped with its block. */
const KNOWN = new WeakMap<UserBlock | AssistantBlock, TokenSize>();

/** Estimated tokens of one block. */
export function blockTokens(block: UserBlock | AssistantBlock): number {
  return tokensOf(blockSize(block));
}

/** Estimated tokens of one block, by the kind of its text. */
export function blockSize(block: UserBlock | AssistantBlock): TokenSize {
  const known = KNOWN.get(block);
  if (known !== undefined) return known;
  const size = countBlock(block);
  KNOWN.set(block, size);
  return size;
}

function tokensOf({ narrow, wide }: TokenSize): number {
  return narrow + wide;
}

function countBlock(block: UserBlock | AssistantBlock): TokenSize {
  switch (block.type) {
    case "text":
      return textSize(block.text);
    case "image":
      return narrow(imageTokens(block.data));
    case "document":
      return narrow(
        block.pages === undefined ? block.data.length / DOCUMENT_CHARS_PER_TOKEN : block.pages * DOCUMENT_PAGE_TOKENS,
      );
    case "opaque":
      return narrow(JSON.stringify(block.data).length / JSON_CHARS_PER_TOKEN);
    case "thinking":
      return textSize(block.thinking);
    case "redacted_thinking":
      return narrow(block.data.length / CHARS_PER_TOKEN);
    case "tool_use":
      return textSize(JSON.stringify(block.input));
    case "tool_result":
      return typeof block.content === "string" ? textSize(block.content) : blocksSize(block.content);
  }
}

/** @param data The base64 data of the image. */
function imageTokens(data: string): number {
  const { width, height } = imageHeader(Buffer.from(data.slice(0, IMAGE_HEADER_CHARS), "base64")) ?? {};
  if (!width || !height) return LARGEST_IMAGE_TOKENS;
  const scale = Math.min(1, MAX_IMAGE_SIDE / Math.max(width, height));
  return (width * scale * height * scale) / PIXELS_PER_TOKEN;
}

function narrow(tokens: number): TokenSize {
  return { narrow: Math.ceil(tokens), wide: 0 };
}
