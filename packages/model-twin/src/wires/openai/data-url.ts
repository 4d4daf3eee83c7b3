import type { Report } from "../../shape.ts";
import { isBase64, typeOfBytes } from "../media-bytes.ts";

const DATA_URL = /^data:([^;,]*);base64,/;
const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

function judgeBytes(url: string, allowed: readonly string[], where: string, report: Report, code: string): void {
  const head = DATA_URL.exec(url);
  if (!head) {
    report(where, "is no data URL with a media type and base64", code);
    return;
  }
  const type = head[1] ?? "";
  const data = url.slice(head[0].length);
  const found = typeOfBytes(data);
  if (!allowed.includes(type)) report(where, `${JSON.stringify(type)} is not one of ${allowed.join(", ")}`, code);
  else if (data === "" || !isBase64(data)) report(where, "is not valid base64", "invalid_base64");
  else if (found !== type)
    report(where, `says ${type}, but the bytes are ${found ?? "of no type that is known here"}`, code);
}

/** An image by its address: on the web, or in a data URL whose bytes must match the stated type. */
export function judgeImageUrl(url: string, where: string, report: Report): void {
  if (!/^https?:\/\//.test(url)) judgeBytes(url, IMAGE_TYPES, where, report, "invalid_image_format");
}

/** A file in a data URL, which must be a PDF, because the API reads no other kind from a request. */
export function judgeFileData(url: string, where: string, report: Report): void {
  judgeBytes(url, ["application/pdf"], where, report, "invalid_file_format");
}
