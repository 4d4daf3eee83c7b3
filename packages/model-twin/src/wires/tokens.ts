/** A rough, deterministic stand-in for a tokenizer, the same on every wire. */
const TEXT_CHARS_PER_TOKEN = 4;
const JSON_CHARS_PER_TOKEN = 2;
/** The tokens of an image or a document, whatever its size. */
export const MEDIA_TOKENS = 1_600;
/** The tokens of a message besides its content. */
export const MESSAGE_TOKENS = 4;

export const textTokens = (text: string): number => Math.ceil(text.length / TEXT_CHARS_PER_TOKEN);
export const jsonTokens = (value: unknown): number => Math.ceil(JSON.stringify(value).length / JSON_CHARS_PER_TOKEN);
