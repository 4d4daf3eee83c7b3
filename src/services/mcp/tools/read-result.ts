import { isDeepStrictEqual } from "node:util";
import { formatCount } from "@quoll/terminal-text/format-amount";
import { oneLine } from "@quoll/terminal-text/one-line";
import { z } from "zod";
import { jsonBody } from "../../../contracts/json-body.ts";
import {
  type DocumentBlock,
  type ImageBlock,
  type ImageMediaType,
  isJsonObject,
  type TextBlock,
} from "../../../contracts/message.ts";
import { parsedJson } from "../../../contracts/parsed-json.ts";
import { CHARS_PER_TOKEN } from "../../../contracts/token-estimate.ts";
import type { ToolResult } from "../../../contracts/tool.ts";
import { shrinkImage } from "../../../platform/shrink-image.ts";

/** The largest image in a message: 5 MiB as base64. */
const MAX_IMAGE_BYTES = Math.floor((5 * 1024 * 1024 * 3) / 4);
const MAX_SIDE_PIXELS = 1_568;
const MAX_IMAGES = 20;
const MAX_PDF_BYTES = 20 * 1024 * 1024;
const MAX_NAME_COLUMNS = 300;
/** From this size on, the person gets a notice, because the result fills the context. */
const LARGE_TOKENS = 10_000;

type Block = TextBlock | ImageBlock | DocumentBlock;

/** A server's answer to a call, with a tolerant schema: one invalid part must not discard the others. */
export const callResultSchema = z.object({
  content: z.array(z.unknown()).catch([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().catch(false).optional(),
  /** The format of early servers. */
  toolResult: z.unknown().optional(),
});

const resource = z.object({
  uri: z.string().catch(""),
  mimeType: z.string().optional().catch(undefined),
  text: z.string().optional(),
  blob: z.string().optional(),
});
const partSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("image"), data: z.string(), mimeType: z.string().catch("an unknown kind") }),
  z.object({ type: z.literal("audio"), data: z.string(), mimeType: z.string().catch("audio") }),
  z.object({ type: z.literal("resource"), resource }),
  z.object({
    type: z.literal("resource_link"),
    uri: z.string(),
    name: z.string().catch(""),
    description: z.string().optional().catch(undefined),
    mimeType: z.string().optional().catch(undefined),
    size: z.number().optional().catch(undefined),
  }),
]);

/** A server's answer to `resources/read`. */
export const resourceContentsSchema = z.object({ contents: z.array(z.unknown()).catch([]) });

/** Saves content as a file of the session. @returns the file's path. */
export type SaveContent = (content: { readonly uri: string; readonly bytes: Uint8Array }) => Promise<string>;

/** Converts parts of content to text, or to blocks if there are other kinds than text. */
export async function readParts(parts: readonly unknown[], saveContent?: SaveContent): Promise<ToolResult["content"]> {
  const reader = new PartReader(false, saveContent);
  for (const part of parts) await reader.read(part);
  return reader.content;
}

/** Converts the contents of a resource: texts, images and PDFs as blocks, other content as a file. */
export async function readContents(
  { contents }: z.infer<typeof resourceContentsSchema>,
  saveContent?: SaveContent,
): Promise<ToolResult> {
  const content = await readParts(
    contents.map((resource) => ({ type: "resource", resource })),
    saveContent,
  );
  return { content: contents.length === 0 ? "The resource is empty." : content };
}

/** Converts a server's answer into a tool result: texts, images and PDFs as blocks, other content as a file. */
export async function readCallResult(
  answer: z.infer<typeof callResultSchema>,
  saveContent?: SaveContent,
): Promise<ToolResult> {
  const isError = answer.isError ?? false;
  const reader = new PartReader(isError, saveContent);
  for (const part of answer.content) await reader.read(part);
  const structured = answer.structuredContent ?? answer.toolResult;
  const isAdded = structured !== undefined && structured !== null && reader.addStructured(structured);
  const { content } = reader;
  const tokens = Math.round(reader.chars / CHARS_PER_TOKEN);
  const text = tokens >= LARGE_TOKENS ? `a large result: about ${formatCount(tokens)} tokens` : "";
  const body = isAdded ? jsonBody(structured) : undefined;
  const display = { kind: "summary", text, ...(body && { body: { ...body, isInResult: true as const } }) } as const;
  return { content, ...(isError && { isError }), ...((text !== "" || body) && { display }) };
}

type Check = {
  /** Why structured data does not fit the tool's own schema. */
  readonly problem: string | undefined;
  /** The limit that the configuration of the server sets. */
  readonly maxTokens: number | undefined;
};

/** A result with its limit, and with a note about structured data that does not fit the tool's own schema. */
export function checkedResult(result: ToolResult, { problem, maxTokens }: Check): ToolResult {
  const limited = maxTokens === undefined ? result : { ...result, maxShownChars: maxTokens * CHARS_PER_TOKEN };
  if (problem === undefined) return limited;
  const note = `[The structured result does not fit the tool's own schema: ${oneLine(problem, MAX_NAME_COLUMNS)}]`;
  const { content } = limited;
  if (typeof content === "string") return { ...limited, content: `${content}\n${note}` };
  return { ...limited, content: [...content, { type: "text", text: note }] };
}

class PartReader {
  readonly #blocks: Block[] = [];
  /** True if only text is allowed, because APIs accept only text in an error result. */
  readonly #textOnly: boolean;
  readonly #saveContent: SaveContent | undefined;
  #images = 0;

  constructor(textOnly: boolean, saveContent: SaveContent | undefined) {
    this.#textOnly = textOnly;
    this.#saveContent = saveContent;
  }

  /** Plain text if there is nothing else, as in most results. */
  get content(): ToolResult["content"] {
    if (this.#blocks.every((block) => block.type === "text")) return this.#texts.join("\n");
    return this.#blocks;
  }

  /** Characters of all texts. */
  get chars(): number {
    return this.#texts.reduce((sum, text) => sum + text.length, 0);
  }

  async read(part: unknown): Promise<void> {
    const parsed = partSchema.safeParse(part);
    if (!parsed.success) {
      this.#say(`[a part that can't be read: ${oneLine(JSON.stringify(part) ?? "nothing", MAX_NAME_COLUMNS)}]`);
      return;
    }
    const { data } = parsed;
    switch (data.type) {
      case "text":
        return this.#say(data.text);
      case "image":
        return this.#addImage(bytesOf(data.data), data.mimeType);
      case "audio":
        return this.#addFile(`audio, ${oneLine(data.mimeType, 60)}`, `audio.${subtypeOf(data.mimeType)}`, data.data);
      case "resource":
        return this.#addResource(data.resource);
      case "resource_link":
        return this.#say(describeLink(data));
    }
  }

  /**
   * Servers should send the same data as text for simple clients; in that case it is not repeated.
   * @returns true if the data was added.
   */
  addStructured(value: unknown): boolean {
    const values = [value, ...onlyProperty(value)];
    const isSaid = this.#texts.some((text) => {
      const data = parsedJson(text);
      return values.some((one) => one === text || isDeepStrictEqual(data, one));
    });
    if (!isSaid) this.#say(JSON.stringify(value));
    return !isSaid;
  }

  get #texts(): readonly string[] {
    return this.#blocks.flatMap((block) => (block.type === "text" ? [block.text] : []));
  }

  #say(text: string): void {
    if (text.trim() !== "") this.#blocks.push({ type: "text", text: text.toWellFormed() });
  }

  async #addResource({ uri, mimeType, text, blob }: z.infer<typeof resource>): Promise<void> {
    const name = oneLine([uri, mimeType && `(${mimeType})`].filter(Boolean).join(" "), MAX_NAME_COLUMNS);
    if (text !== undefined) return this.#say(`[resource ${name}]\n${text}`);
    const bytes = bytesOf(blob ?? "");
    if (imageType(bytes)) {
      this.#say(`[resource ${name}]`);
      return this.#addImage(bytes, mimeType ?? "");
    }
    const isPdf = bytes.toString("latin1", 0, 5) === "%PDF-";
    if (!isPdf || this.#textOnly || bytes.length > MAX_PDF_BYTES)
      return this.#addFile(`resource ${name}`, uri, blob ?? "");
    this.#say(`[resource ${name}]`);
    this.#blocks.push({ type: "document", mediaType: "application/pdf", data: bytes.toString("base64") });
  }

  /** Content that can't be shown becomes a file that a command can read. */
  async #addFile(what: string, uri: string, base64: string): Promise<void> {
    const bytes = bytesOf(base64);
    const saved = await this.#saveContent?.({ uri, bytes }).catch(() => undefined);
    this.#say(`[${what}, ${size(bytes)}: ${saved === undefined ? "it can't be shown" : `saved as ${saved}`}]`);
  }

  async #addImage(bytes: Buffer, said: string): Promise<void> {
    const mediaType = imageType(bytes);
    const what = `image, ${mediaType ?? oneLine(said, 60)}, ${size(bytes)}`;
    if (!mediaType) return this.#say(`[${what}: it can't be shown]`);
    if (this.#textOnly) return this.#say(`[${what}: left out of an error]`);
    this.#images += 1;
    if (this.#images > MAX_IMAGES) return this.#say(`[${what}: left out, the first ${MAX_IMAGES} are shown]`);
    const shown =
      bytes.length <= MAX_IMAGE_BYTES
        ? { bytes, mediaType }
        : await shrinkImage(bytes, { maxSide: MAX_SIDE_PIXELS, maxBytes: MAX_IMAGE_BYTES });
    if (!shown) return this.#say(`[${what}: too large to be shown]`);
    this.#blocks.push({ type: "image", mediaType: shown.mediaType, data: shown.bytes.toString("base64") });
  }
}

type Link = Extract<z.infer<typeof partSchema>, { type: "resource_link" }>;

function describeLink({ uri, name, description, mimeType, size: bytes }: Link): string {
  const facts = [mimeType, bytes === undefined ? undefined : `${bytes} bytes`].filter((fact) => fact !== undefined);
  const kind = facts.length > 0 ? ` (${facts.join(", ")})` : "";
  const words = `${name === "" ? "" : `${name}: `}${uri}${kind}${description ? ` – ${description}` : ""}`;
  return `[link to a resource: ${oneLine(words, 2 * MAX_NAME_COLUMNS)}]`;
}

function bytesOf(base64: string): Buffer {
  return Buffer.from(base64.replace(/^data:[^,]{0,100},/, ""), "base64");
}

function size(bytes: Buffer): string {
  return `${bytes.length} bytes`;
}

function subtypeOf(mimeType: string): string {
  return /^\w+\/(?:x-)?([\w-]{1,20})/.exec(mimeType)?.[1] ?? "bin";
}

/** Structured data must be an object, so libraries wrap a text or a list: `{"content": "…"}`. */
function onlyProperty(value: unknown): readonly unknown[] {
  if (!isJsonObject(value)) return [];
  const held = Object.values(value);
  return held.length === 1 ? held : [];
}

/** The type of an image by its first bytes, regardless of its declared type; undefined for an unsupported type. */
function imageType(bytes: Buffer): ImageMediaType | undefined {
  const ascii = (from: number, to: number) => bytes.toString("latin1", from, to);
  if (ascii(0, 8) === "\x89PNG\r\n\x1a\n") return "image/png";
  if (ascii(0, 3) === "\xff\xd8\xff") return "image/jpeg";
  if (ascii(0, 4) === "GIF8") return "image/gif";
  return ascii(0, 4) === "RIFF" && ascii(8, 12) === "WEBP" ? "image/webp" : undefined;
}
