import { Semaphore } from "@quoll/async/semaphore";
import { LRUCache } from "lru-cache";
import { type DocumentReader, type DocumentText, documentKind } from "../../contracts/documents.ts";
import { ToolFailedError } from "../../contracts/errors.ts";
import { imageHeader } from "../../contracts/image-header.ts";
import type { Clock } from "../../contracts/ports.ts";
import type { OutlineItem, WebAddress, WebAnswer, WebDocument, WebReader } from "../../contracts/web.ts";
import type { ConvertDeps } from "../../platform/processes/convert-child.ts";
import { convertPage } from "./io/convert-page.ts";
import { type FetchDeps, type Fetched, fetchAddress } from "./io/fetch-address.ts";
import { readAddress } from "./read-address.ts";
import { decodeText } from "./read-charset.ts";
import { outlineOf, visible } from "./visible-text.ts";

/** How long a page is kept, and the size of all pages that are kept. */
export const KEPT_MS = 15 * 60_000;
export const KEPT_BYTES = 50 * 1024 * 1024;
/** Reading a larger text here would stop the screen for longer than a frame or two. */
const MAX_OWN_BYTES = 512 * 1024;
/** Each takes a child with its own limit of memory. */
const MAX_CONVERSIONS = 2;
const MAX_REASON_CHARS = 300;

export type WebReaderDeps = FetchDeps &
  ConvertDeps & {
    readonly clock: Pick<Clock, "now" | "monotonicMs">;
    readonly keptBytes?: number;
    /** Reads PDFs and office documents. */
    documents(): Promise<DocumentReader>;
  };

/** Reads pages of the web and keeps them for a while, so that reading on costs no second request. */
export function createWebReader(deps: WebReaderDeps): WebReader {
  const kept = new LRUCache<string, WebDocument>({
    maxSize: deps.keptBytes ?? KEPT_BYTES,
    sizeCalculation: ({ text, outline }) => (text.length + outline.length * 100) * 2 + 1,
    ttl: KEPT_MS,
    ttlResolution: 0,
    perf: { now: () => deps.clock.monotonicMs() },
  });
  const converting = new Semaphore(MAX_CONVERSIONS);
  const convert: Convert = (page, signal) => converting.run(() => convertPage(page, deps, signal));
  return {
    address: readAddress,
    async read(address, isNamed, signal) {
      const key = address.url.replace(/#.*$/s, "");
      const known = kept.get(key);
      if (known) return { ...known, isKept: true };
      const fetched = await fetchAddress(address, isNamed, deps, signal);
      if (fetched.kind === "redirect") return fetched;
      const answer = await answerOf(fetched, { clock: deps.clock, documents: () => deps.documents(), convert }, signal);
      if (answer.kind === "document") kept.set(key, answer);
      return answer;
    },
  };
}

type Convert = (page: Parameters<typeof convertPage>[0], signal: AbortSignal) => ReturnType<typeof convertPage>;
type AnswerDeps = Pick<WebReaderDeps, "clock" | "documents"> & { readonly convert: Convert };
type MediaType = { readonly type: string; readonly charset: string | undefined };

/** Reads `text/html; charset="utf-8"` (RFC 9110, 8.3.1). */
function mediaTypeOf(header: string | undefined): MediaType {
  const [type = "", ...parameters] = (header ?? "").split(";");
  const charset = parameters.map((one) => /^\s*charset\s*=\s*"?([\w:.-]+)/i.exec(one)?.[1]).find(Boolean);
  return { type: type.trim().toLowerCase(), charset };
}

/** @throws {ToolFailedError} the answer is an error, or nothing that can be shown. */
async function answerOf(fetched: Fetched, deps: AnswerDeps, signal: AbortSignal): Promise<WebAnswer> {
  const { convert, clock } = deps;
  const { address, status, header, body } = fetched;
  const media = mediaTypeOf(header("content-type"));
  if (status < 200 || status > 299) throw statusError(fetched, media);
  if (body.length === 0) throw new ToolFailedError(`${address.url} answered with an empty page.`);
  const image = imageHeader(body);
  if (image) return { kind: "image", url: address.url, bytes: body, mediaType: image.mediaType };
  const isPage = isPageType(media.type) || (media.type === "" && startsAsPage(body));
  const about = { kind: "document", url: address.url, fetchedAtMs: clock.now(), isKept: false } as const;
  if (!isPage && documentKind(body, new URL(address.url).pathname) !== undefined)
    return { ...about, mediaType: media.type, ...(await documentPage(address, body, deps, signal)) };
  if (!isPage && isBinary(body)) throw binaryError(address, body, media);
  const order = { url: address.url, charset: media.charset, body };
  if (!isPage) {
    const isMarkup = /xml/.test(media.type);
    const isLarge = body.length > MAX_OWN_BYTES;
    const text = isLarge
      ? (await convert({ ...order, as: isMarkup ? "markup" : "text" }, signal)).markdown
      : visible(decodeText(body, media.charset, isMarkup));
    const isMarkdown = media.type === "text/markdown" || /\.(?:md|mdx|markdown)$/i.test(new URL(address.url).pathname);
    const outline = isMarkdown ? outlineOf(text) : [];
    return { ...about, title: "", mediaType: media.type || "text/plain", text, outline, notes: [] };
  }
  const page = await convert({ ...order, as: "page" }, signal);
  const { title, markdown: text, notes } = page;
  return { ...about, title, mediaType: media.type || "text/html", text, outline: outlineOf(text), notes };
}

function isPageType(type: string): boolean {
  return type === "text/html" || type === "application/xhtml+xml";
}

/** Some servers send pages without a type. The source of a page, sent as plain text, stays as it is. */
function startsAsPage(body: Buffer): boolean {
  return /^\s*(?:<!--[\s\S]{0,300}?-->\s*)?<(?:!doctype html|html[\s>])/i.test(body.toString("latin1", 0, 1_000));
}

/** A NUL in the first bytes, as git decides; text in UTF-16 has a byte order mark. */
function isBinary(body: Buffer): boolean {
  const isUtf16 = (body[0] === 0xfe && body[1] === 0xff) || (body[0] === 0xff && body[1] === 0xfe);
  return body.toString("latin1", 0, 5) === "%PDF-" || (!isUtf16 && body.subarray(0, 8_000).includes(0));
}

function binaryError({ url }: WebAddress, body: Buffer, { type }: MediaType): ToolFailedError {
  const named = /^[\w.+-]+\/[\w.+-]+$/.test(type) ? ` (${type})` : "";
  return new ToolFailedError(`${url} is binary data${named} of ${body.length} bytes, which can't be shown.`);
}

const STATUS_WORDS: Readonly<Record<number, string>> = {
  401: "it needs a login, and WebFetch has none",
  403: "the server refuses it, for a login, a captcha or a rule against programs",
  404: "there is no such page",
  407: "the proxy needs a login",
  410: "the page is gone",
  429: "the server wants fewer requests",
  451: "it may not be shown here",
  503: "the server does not answer now, or wants a captcha",
};

function statusError({ address, status, header, body }: Fetched, { type, charset }: MediaType): ToolFailedError {
  const words = STATUS_WORDS[status] ?? (status >= 500 ? "the server failed" : "the request was refused");
  const isCaptcha = header("cf-mitigated") === "challenge" || header("x-amzn-waf-action") !== undefined;
  const later = status === 429 || status === 503 ? retryAfter(header("retry-after")) : "";
  const why = isCaptcha ? "it asks for a captcha, which only a person can solve" : words + later;
  // The errors of an API tell what is wrong with the request.
  const isShort = /json|text\/plain/.test(type) && !isBinary(body);
  const said = isShort
    ? visible(decodeText(body, charset, false))
        .replace(/\s+/g, " ")
        .slice(0, MAX_REASON_CHARS)
    : "";
  const quoted = said === "" ? "" : ` The server says: ${JSON.stringify(said)}`;
  return new ToolFailedError(`${address.url} answered ${status}: ${why}.${quoted}`);
}

function retryAfter(value: string | undefined): string {
  return value !== undefined && /^\d{1,6}$/.test(value) ? `, and to wait ${value} s` : "";
}

/** Pages of a PDF and parts of other documents that are read at once; the time limit usually ends it earlier. */
const MAX_DOCUMENT_PARTS = 1_000;

type DocumentPage = Pick<WebDocument, "title" | "text" | "outline" | "notes">;

/**
 * The text of a PDF or an office document from the web, with its pages as the outline.
 * @throws {ToolFailedError} it can't be read, or it has no text.
 */
async function documentPage(
  { url }: WebAddress,
  bytes: Buffer,
  { documents }: { documents(): Promise<DocumentReader> },
  signal: AbortSignal,
): Promise<DocumentPage> {
  const reader = await documents();
  const document = await reader.read({ name: url, bytes, maxParts: MAX_DOCUMENT_PARTS }, signal);
  const { kind, unit, parts, notes: facts } = document;
  if (parts.every((part) => part.text.trim() === ""))
    throw new ToolFailedError(
      `${url} is a ${kind} without text, probably scanned. Download the file: Read shows its pages.`,
    );
  const outline: OutlineItem[] = [];
  const pieces: string[] = [];
  let length = 0;
  for (const { number, title, text } of parts) {
    const heading = title === "" ? `${unit} ${number}` : `${unit} ${number}: ${title}`;
    if (unit !== "text") outline.push({ offset: length, level: 2, text: heading });
    const piece = unit === "text" ? `${text}\n\n` : `## ${heading}\n\n${text}\n\n`;
    length += piece.length;
    pieces.push(piece);
  }
  // The file's statements about itself are material, as its text is.
  const about = facts.length > 0 ? `(About the file: ${facts.join("; ")})` : "";
  const text = `${pieces.join("")}${about}`.trimEnd();
  return { title: "", text, outline: unit === "text" ? outlineOf(text) : outline, notes: notesOf(document) };
}

function notesOf({ unit, total, parts }: DocumentText): readonly string[] {
  const last = parts.at(-1)?.number ?? 0;
  if (unit === "text" || last >= total) return [];
  return [`There was time for the ${unit}s 1 to ${last} of ${total}. Download the file: Read shows the others.`];
}
