import { at, type Report } from "../../shape.ts";
import { isBase64, typeOfBytes } from "../media-bytes.ts";
import type { Block, Source } from "./request.ts";
import type { Rule } from "./rule.ts";

/** Source: Anthropic's guide "Vision". */
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

function judgeSource(source: Source, where: string, report: Report): void {
  if (source.type !== "base64") return;
  const bytes = (source.data.length / 4) * 3;
  if (source.media_type.startsWith("image/") && bytes > MAX_IMAGE_BYTES)
    report(at(where, "base64"), `image exceeds 5 MB maximum: ${bytes} bytes > ${MAX_IMAGE_BYTES} bytes`);
  const found = typeOfBytes(source.data);
  if (!isBase64(source.data)) report(at(where, "data"), "is not valid base64");
  else if (found !== source.media_type) {
    const kind = found ?? "of no type that is known here";
    report(at(where, "media_type"), `says ${source.media_type}, but the bytes are ${kind}`);
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
