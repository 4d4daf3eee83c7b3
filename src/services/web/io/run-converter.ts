import { readFileSync } from "node:fs";
import { printError } from "../../../platform/host.ts";
import { type PageText, pageText } from "../page-text.ts";
import { decodeText } from "../read-charset.ts";
import { visible } from "../visible-text.ts";
import { CONVERT_COMMAND, type ConvertOrder } from "./convert-page.ts";

/**
 * The child that converts a page: reads an order, one line of JSON, and the bytes of the page from stdin, and writes a
 * `PageText` as JSON to stdout.
 * @returns the exit code.
 */
export async function runConverter(): Promise<number> {
  const input = readFileSync(0);
  const end = input.indexOf("\n");
  if (end < 0) {
    printError(`quoll: ${CONVERT_COMMAND} is for Quoll's own use.`);
    return 2;
  }
  const { url, charset, as }: ConvertOrder = JSON.parse(input.toString("utf8", 0, end));
  const text = decodeText(input.subarray(end + 1), charset, as !== "text");
  const isPage = as === "page" || as === "plain";
  const made: PageText = isPage
    ? pageText(text, url, as === "plain")
    : { title: "", markdown: visible(text), notes: [] };
  const answer = JSON.stringify(made);
  await new Promise<void>((done) => void process.stdout.write(answer, () => done()));
  return 0;
}
