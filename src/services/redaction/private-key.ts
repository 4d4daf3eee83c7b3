import type { Finder, SecretMatch } from "./secret-match.ts";

/** RFC 7468 labels of private keys, including those of OpenSSH and PGP; PuTTY's own labels. */
const BEGIN =
  /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----|^.{0,300}?Private-Lines: \d{1,4}(?=\r?$)/gm;
const END = /-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;
/** A key on one line with line ends written as `\n`, as in JSON and environment files. */
const ONE_LINE = /(?:\\{1,2}[nrt]|[A-Za-z0-9+/]+={0,2}|[ \t])+/y;
/**
 * Prefixes that tools put before a line: `path:12:`, `path-12-`, ` 12<tab>`, `>`, `-`; then indentation and an opening
 * quote.
 */
const LEAD = "(?:[^\\n]{0,300}?[:-]\\d{1,7}[:-]|[ \\t]*\\d{1,7}(?:\\t|→|\\||: ?)|[>-])?[ \\t]*[\"'`]?";
const BODY_LINE = new RegExp(
  `^${LEAD}(=?[A-Za-z0-9+/]{1,256}={0,2})(?:\\\\{1,2}[nr])?["'\`]?[ \\t]*[+,;\\\\]?[ \\t\\r]*$`,
);
/** Headers inside a block (RFC 1421, RFC 9580) and blank lines. */
const HEADER_LINE = new RegExp(`^${LEAD}(?:[A-Z][A-Za-z-]{2,20}: .{0,200})?[ \\t\\r]*$`);
/** Text between a body and its last line: a line end and a tool's prefix. */
const JUST_BEFORE_END = /^[^\nA-Za-z0-9]{0,20}(?:\\{0,2}[nr]|\n)?[^\n]{0,300}$/;
/** The rest of the first line after the label, when the body follows on its own lines. */
const LINE_REST = /^(?:\\{1,2}[nr]|[\s"'`,;+]){0,20}$/;
const BASE64_RUN = /[A-Za-z0-9+/]{16,}={0,2}/g;
/** `-----BEGIN ` in base64. */
const ENCODED_KEY = /LS0tLS1CRUdJTi[A-Za-z0-9+/]{80,}={0,2}/g;
const MAX_LINES = 400;
const MAX_HEADER_LINES = 12;
const MAX_LINE_CHARS = 700;
/** A shorter body is an excerpt in a document. */
const MIN_BODY_CHARS = 40;
/** For a part of a key without its header, only lines of full width count. */
const MIN_TAIL_LINE_CHARS = 32;

type Line = { readonly start: number; readonly text: string; readonly next: number };

/**
 * The bodies of private keys, their first and last lines left in place. A key is found inside indentation, quotes, line
 * numbers, search results and diffs, on one line with `\n`, and when its header or footer is cut off.
 */
export const privateKeyFinder: Finder = (text) => {
  const found = encodedKeys(text);
  if (!text.includes("PRIVATE KEY") && !text.includes("Private-Lines")) return found;
  const begins = [...text.matchAll(BEGIN)];
  const ends = [...text.matchAll(END)].map(({ index }) => index);
  let nextEnd = 0;
  for (const [at, begin] of begins.entries()) {
    const after = begin.index + begin[0].length;
    const match = oneLineBody(text, after) ?? bodyAfter(text, after, isAdded(text, begin.index));
    if (match) found.push(match);
    while ((ends[nextEnd] ?? text.length) < after) nextEnd += 1;
    const end = ends[nextEnd];
    if (!match && end !== undefined && end < (begins[at + 1]?.index ?? text.length))
      found.push(...runsBetween(text, after, end));
  }
  for (const end of text.matchAll(END)) {
    const last = found.findLast(({ start }) => start < end.index);
    const between = last && text.slice(Math.max(last.end, end.index - MAX_LINE_CHARS), end.index);
    const match = between !== undefined && JUST_BEFORE_END.test(between) ? undefined : bodyBefore(text, end.index);
    if (match) found.push(match);
  }
  return found;
};

/**
 * The longest base64 run of each line between header and footer. Tools put authors, dates, comment signs or line-end marks
 * around the lines of a key.
 */
function runsBetween(text: string, after: number, end: number): readonly SecretMatch[] {
  const runs: SecretMatch[] = [];
  let line = lineAt(text, after);
  for (let count = 0; count < MAX_LINES && line.next < end; count += 1) {
    line = lineAt(text, line.next);
    if (line.start >= end) break;
    const [longest] = [...line.text.matchAll(BASE64_RUN)].sort((a, b) => b[0].length - a[0].length);
    if (longest) {
      const start = line.start + longest.index;
      runs.push({ start, end: start + longest[0].length, kind: "private-key" });
    }
  }
  return runs.some((run) => run.end - run.start >= MIN_BODY_CHARS) ? runs : [];
}

/** A key with another base64 encoding, as in kubeconfig files. */
function encodedKeys(text: string): SecretMatch[] {
  if (!text.includes("LS0tLS1CRUdJTi")) return [];
  return [...text.matchAll(ENCODED_KEY)].flatMap(({ 0: value, index: start }) => {
    const label = Buffer.from(value.slice(0, 80), "base64").toString("latin1");
    return label.includes("PRIVATE KEY") ? [{ start, end: start + value.length, kind: "private-key" }] : [];
  });
}

/** True if a diff shows the line as added: its `+` belongs to the diff, not to the key. */
function isAdded(text: string, begin: number): boolean {
  return text[begin - 1] === "+" && (begin === 1 || text[begin - 2] === "\n");
}

function oneLineBody(text: string, after: number): SecretMatch | undefined {
  ONE_LINE.lastIndex = after;
  const raw = ONE_LINE.exec(text)?.[0] ?? "";
  const identity = raw.replace(/\\{1,2}[nrt]|[ \t]/g, "");
  if (identity.length < MIN_BODY_CHARS) return undefined;
  const lead = /^(?:\\{1,2}[nrt]|[ \t])*/.exec(raw)?.[0].length ?? 0;
  const trail = /(?:\\{1,2}[nrt]|[ \t])*$/.exec(raw.slice(-16))?.[0].length ?? 0;
  return { start: after + lead, end: after + raw.length - trail, kind: "private-key", identity };
}

function bodyAfter(text: string, after: number, added: boolean): SecretMatch | undefined {
  const parts: string[] = [];
  let start: number | undefined;
  let end = after;
  let line = lineAt(text, after);
  if (!LINE_REST.test(line.text)) return undefined;
  for (let count = 0; count < MAX_LINES && line.next <= text.length; count += 1) {
    line = lineAt(text, line.next);
    const mark = added && line.text.startsWith("+") ? 1 : 0;
    const body = BODY_LINE.exec(line.text.slice(mark))?.[1];
    if (body !== undefined) {
      const from = line.start + mark + line.text.slice(mark).lastIndexOf(body);
      start ??= from;
      end = from + body.length;
      parts.push(body);
    } else if (start !== undefined || count >= MAX_HEADER_LINES || !HEADER_LINE.test(line.text.slice(mark))) break;
  }
  return toMatch(start, end, parts);
}

function bodyBefore(text: string, before: number): SecretMatch | undefined {
  const parts: string[] = [];
  let start: number | undefined;
  let end = before;
  let lineEnd = text.lastIndexOf("\n", before - 1);
  for (let count = 0; count < MAX_LINES && lineEnd > 0; count += 1) {
    const lineStart = Math.max(text.lastIndexOf("\n", lineEnd - 1) + 1, lineEnd - MAX_LINE_CHARS);
    const line = text.slice(lineStart, lineEnd);
    const body = BODY_LINE.exec(line)?.[1];
    if (body === undefined || (parts.length > 1 && body.length < MIN_TAIL_LINE_CHARS)) break;
    start = lineStart + line.lastIndexOf(body);
    if (parts.length === 0) end = start + body.length;
    parts.unshift(body);
    lineEnd = lineStart - 1;
  }
  return toMatch(start, end, parts);
}

function toMatch(start: number | undefined, end: number, parts: readonly string[]): SecretMatch | undefined {
  const identity = parts.join("");
  if (start === undefined || identity.length < MIN_BODY_CHARS) return undefined;
  return { start, end, kind: "private-key", identity };
}

/** The rest of the line at an offset; `next` is after the end of the text for the last line. */
function lineAt(text: string, start: number): Line {
  const found = text.indexOf("\n", start);
  const end = found === -1 ? text.length : found;
  return { start, text: text.slice(start, Math.min(end, start + MAX_LINE_CHARS)), next: end + 1 };
}
