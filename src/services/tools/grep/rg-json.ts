import { StringDecoder } from "node:string_decoder";
import { z } from "zod";
import type { FileHits, HitLine } from "./search-types.ts";

/** Text, or base64 of bytes that are not UTF-8. */
const bytesOrText = z.union([z.object({ text: z.string() }), z.object({ bytes: z.string() })]);
const named = z.object({ path: bytesOrText });
const lines = named.extend({
  lines: bytesOrText,
  line_number: z.number(),
  submatches: z.array(z.object({ start: z.number(), end: z.number() })),
});
const message = z.discriminatedUnion("type", [
  z.object({ type: z.literal("begin"), data: named }),
  z.object({ type: z.literal("match"), data: lines }),
  z.object({ type: z.literal("context"), data: lines }),
  z.object({ type: z.literal("end"), data: named.extend({ binary_offset: z.number().nullable() }) }),
  z.object({ type: z.literal("summary") }),
]);

/**
 * Parses the output of `rg --json` (format: the grep-printer crate, module `json`) as a stream, so that only lines
 * that may be shown are stored. Leaves out files in which ripgrep found binary data.
 */
export class RgJsonReader {
  readonly #files = new Map<string, { lines: HitLine[]; count: number }>();
  readonly #decoder = new StringDecoder("utf8");
  #rest: string[] = [];
  #hasStray = false;

  /** True if a line has bytes that are not UTF-8, which are shown as �. */
  get hasStray(): boolean {
    return this.#hasStray;
  }

  push(chunk: Buffer): void {
    const text = this.#decoder.write(chunk);
    const end = text.lastIndexOf("\n");
    if (end === -1) {
      this.#rest.push(text);
      return;
    }
    const records = `${this.#rest.join("")}${text.slice(0, end)}`.split("\n");
    this.#rest = [text.slice(end + 1)];
    for (const record of records) if (record !== "") this.#take(record);
  }

  /** An incomplete last record is left out. */
  files(): readonly FileHits[] {
    return [...this.#files].map(([path, file]) => ({ path, ...file }));
  }

  #take(record: string): void {
    const { type, data } = parsed(record);
    if (!data) return;
    const path = decoded(data.path).replace(/^\.\//, "");
    if (type === "end" && data.binary_offset !== null) this.#files.delete(path);
    if (type !== "match" && type !== "context") return;
    const file = this.#files.get(path) ?? { lines: [], count: 0 };
    this.#files.set(path, file);
    if ("bytes" in data.lines) this.#hasStray = true;
    const found = hitLines(data, type === "match");
    file.lines.push(...found);
    if (type === "match") file.count += found.length;
  }
}

function parsed(record: string) {
  const value = message.parse(JSON.parse(record));
  return value.type === "summary" ? { type: value.type, data: undefined } : value;
}

function decoded(value: z.infer<typeof bytesOrText>): string {
  return "text" in value ? value.text : Buffer.from(value.bytes, "base64").toString("utf8");
}

/** One record may contain several lines; its matches are byte offsets into all of them. */
function hitLines(data: z.infer<typeof lines>, isMatch: boolean): readonly HitLine[] {
  const text = decoded(data.lines);
  const bytes = "text" in data.lines ? Buffer.from(text) : Buffer.from(data.lines.bytes, "base64");
  const hits: HitLine[] = [];
  let start = 0;
  for (const [index, line] of text.replace(/\n$/, "").split("\n").entries()) {
    const end = bytes.indexOf(0x0a, start);
    const stop = end === -1 ? bytes.length : end;
    const from = start;
    const first = data.submatches.find((match) => match.end > from && match.start < stop);
    const at = first ? bytes.toString("utf8", from, Math.max(from, first.start)).length : 0;
    hits.push({ number: data.line_number + index, text: line.replace(/\r$/, ""), isMatch, at });
    start = stop + 1;
  }
  return hits;
}
