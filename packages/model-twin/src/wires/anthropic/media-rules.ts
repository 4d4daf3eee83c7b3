import { at, type Report } from "../../shape.ts";
import type { Block, Source } from "./request.ts";
import type { Rule } from "./rule.ts";

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Without line breaks, padded. The length is judged apart: one expression for both overflows on large images. */
const isBase64 = (data: string) => data.length % 4 === 0 && BASE64.test(data);
/** Enough for every signature below. */
const HEAD_CHARS = 64;

/** How files of each type begin; `offset` in bytes. Sources: the PNG, JPEG, GIF, WebP (RIFF) and PDF specifications. */
const SIGNATURES: Readonly<Record<string, readonly { readonly offset: number; readonly bytes: string }[][]>> = {
  "image/png": [[{ offset: 0, bytes: "\x89PNG\r\n\x1a\n" }]],
  "image/jpeg": [[{ offset: 0, bytes: "\xff\xd8\xff" }]],
  "image/gif": [[{ offset: 0, bytes: "GIF87a" }], [{ offset: 0, bytes: "GIF89a" }]],
  "image/webp": [
    [
      { offset: 0, bytes: "RIFF" },
      { offset: 8, bytes: "WEBP" },
    ],
  ],
  "application/pdf": [[{ offset: 0, bytes: "%PDF-" }]],
};

/** The media type that the first bytes tell; undefined for one that is not known here. */
function typeOfBytes(base64: string): string | undefined {
  const head = Buffer.from(base64.slice(0, HEAD_CHARS), "base64").toString("latin1");
  const known = Object.entries(SIGNATURES).find(([, forms]) =>
    forms.some((form) => form.every(({ offset, bytes }) => head.startsWith(bytes, offset))),
  );
  return known?.[0];
}

function judgeSource(source: Source, where: string, report: Report): void {
  if (source.type !== "base64") return;
  const found = typeOfBytes(source.data);
  if (!isBase64(source.data)) report(at(where, "data"), "is not valid base64");
  else if (found !== source.media_type) {
    const bytes = found ?? "of no type that is known here";
    report(at(where, "media_type"), `says ${source.media_type}, but the bytes are ${bytes}`);
  }
}

function judgeBlocks(blocks: readonly Block[], where: string, report: Report): void {
  for (const [index, block] of blocks.entries()) {
    const place = at(where, index);
    if (block.type === "image" || block.type === "document") judgeSource(block.source, at(place, "source"), report);
    if (block.type === "tool_result" && typeof block.content === "object") {
      judgeBlocks(block.content, at(place, "content"), report);
    }
  }
}

export const mediaIsWhatItSays: Rule = ({ request }, report) => {
  for (const [index, { content }] of request.messages.entries()) {
    if (typeof content !== "string") judgeBlocks(content, `messages.${index}.content`, report);
  }
};
