import type { Report } from "../../shape.ts";
import { typeOfBytes } from "../media-bytes.ts";
import type { Blob, Part } from "./request.ts";
import type { Rule } from "./rule.ts";

/**
 * Types that can be recognised by their bytes. The API takes no other image types; audio, video and text are not
 * checked.
 */
const CHECKED = new Set(["image/png", "image/jpeg", "image/webp", "application/pdf"]);
const UNCHECKED_IMAGES = new Set(["image/heic", "image/heif"]);

/** The URL-safe alphabet is base64 too, for this API. */
const plainBase64 = (data: string) => data.replaceAll("-", "+").replaceAll("_", "/");

function judgeBlob({ mimeType = "", data = "" }: Blob, where: string, report: Report): void {
  if (mimeType === "") report(`${where}.mime_type`, "required field is missing");
  else if (data === "") report(`${where}.data`, "required field is missing");
  else if (CHECKED.has(mimeType)) judgeBytes(mimeType, data, where, report);
  else if (!mimeType.includes("/") || (mimeType.startsWith("image/") && !UNCHECKED_IMAGES.has(mimeType)))
    report(`${where}.mime_type`, `unsupported MIME type: ${mimeType}`);
}

function judgeBytes(mimeType: string, data: string, where: string, report: Report): void {
  const found = typeOfBytes(plainBase64(data));
  if (found === mimeType) return;
  report(where, `unable to process the file: it says ${mimeType}, but the bytes are ${found ?? "of no known type"}`);
}

function judgeParts(parts: readonly Part[], where: string, report: Report): void {
  for (const [index, { inlineData, fileData, functionResponse }] of parts.entries()) {
    const place = `${where}.parts[${index}]`;
    if (inlineData) judgeBlob(inlineData, `${place}.inline_data`, report);
    if (fileData && !fileData.fileUri) report(`${place}.file_data.file_uri`, "required field is missing");
    if (functionResponse?.parts) judgeParts(functionResponse.parts, `${place}.function_response`, report);
  }
}

export const mediaIsWhatItSays: Rule = ({ contents }, report) => {
  for (const [index, { parts = [] }] of contents.entries()) judgeParts(parts, `contents[${index}]`, report);
};
