import type { Cursor } from "./cursor.ts";
import { type Misfit, misfit, notUnderstood } from "./form.ts";
import type { Step } from "./step.ts";
import { isGlob, readTarget } from "./target.ts";

type Parsed = Step | Misfit | undefined;

const BEFORE_FROM = [
  "all occurrences of",
  "every occurrence of",
  "each occurrence of",
  "occurrences of",
  "all instances of",
  "every instance of",
  "instances of",
  "the text",
  "the word",
  "the string",
  "the name",
  "the function",
  "the variable",
  "the class",
  "the method",
  "the type",
  "all",
  "every",
  "each",
  "from",
  "the",
];
const CONNECTORS = ["with", "by", "to", "into", "for", "->", "=>", "→"];

/** `replace "a" with "b" in TARGET`. */
export function parseReplace(cursor: Cursor, verb: string): Parsed {
  cursor.skip(BEFORE_FROM);
  const fromToken = cursor.peek();
  const from = cursor.text();
  if (from === undefined) return misfit("the text to replace is missing");
  if (fromToken?.kind !== "quoted" && /^\/.*[\\^$*+?()[\]|].*\/[a-z]*$/.test(from.slice(0, 1_000))) {
    return misfit(`replace takes plain text, not a regular expression (put ${from} in quotes to use it literally)`);
  }
  const early = readTarget(cursor);
  if (cursor.oneOf(CONNECTORS) === undefined) {
    return misfit(
      cursor.atEnd
        ? `the replacement for "${from}" is missing`
        : `the word "with" is missing after "${from}" (texts of several words need quotes)`,
    );
  }
  const toToken = cursor.peek();
  const to = cursor.text();
  if (to === undefined) return misfit(`the replacement for "${from}" is missing`);
  const target = early ?? readTarget(cursor);
  if (!cursor.atEnd) return misfit(`${notUnderstood(cursor)} (texts of several words need quotes)`);
  if (!target) {
    const areFiles = [fromToken, toToken].every(
      (token) => token?.kind === "word" && /\w\.\w+$/.test(token.text.slice(-100)),
    );
    if (verb === "rename" && areFiles)
      return misfit(`rename changes text, not file names; to rename a file: \`run mv ${from} ${to}\``);
    return misfit("the place is missing: add `in FILE`, `in GLOB` or `everywhere`");
  }
  if (from === "") return misfit("the text to replace is empty");
  if (from === to) return misfit("both texts are the same");
  return { form: "replace", from, to, target };
}

const BEFORE_NAME = [
  "a new empty file",
  "a new file",
  "an empty file",
  "a file",
  "the file",
  "new empty file",
  "new file",
  "empty file",
  "file",
  "a",
  "an",
  "the",
  "new",
  "named",
  "called",
  "with the name",
];
const BEFORE_CONTENT = [
  "with the content",
  "with the contents",
  "with the text",
  "with content",
  "with contents",
  "with text",
  "with the lines",
  "that contains",
  "that says",
  "containing",
  "saying",
  "with",
];

/** `create FILE with "text"`, `create FILE`, `write "text" to FILE`. */
export function parseCreate(cursor: Cursor, verb: string, block: string | undefined): Parsed {
  if (verb === "write" || verb === "save") return parseWrite(cursor, block);
  const place = cursor.place;
  cursor.skip(["a", "new", "the"]);
  if (cursor.oneOf(["folder", "directory", "dir"]) !== undefined) {
    return misfit(
      `create makes files, not folders (a new file creates its folder); for a folder: \`run mkdir -p ${cursor.path() ?? "NAME"}\``,
    );
  }
  cursor.back(place);
  const isFile = cursor.peek()?.kind === "quoted" ? false : speaksOfFile(cursor);
  if (verb === "add" && !isFile) return undefined;
  // `touch a b` is a shell command: there, `a` is a name.
  if (verb !== "touch" || isFile) cursor.skip(BEFORE_NAME);
  const path = cursor.path();
  if (path === undefined) return misfit("the file name is missing");
  const saysContent = cursor.oneOf(BEFORE_CONTENT) !== undefined;
  if (isGlob(path)) return misfit(`"${path}" is a glob, but create needs the name of one file`);
  if (path.endsWith("/")) return misfit(`create makes files, not folders; for a folder: \`run mkdir -p ${path}\``);
  if (block !== undefined)
    return cursor.atEnd ? { form: "create", path, content: block } : misfit(notUnderstood(cursor));
  if (!saysContent) return cursor.atEnd ? { form: "create", path, content: "" } : misfit(notUnderstood(cursor));
  const content = cursor.text();
  if (content === undefined) return misfit("the content of the file is missing");
  if (!cursor.atEnd) return misfit(`${notUnderstood(cursor)} (a text of several words needs quotes)`);
  return { form: "create", path, content };
}

function speaksOfFile(cursor: Cursor): boolean {
  const place = cursor.place;
  cursor.skip(["a", "an", "the", "new", "empty"]);
  const isFile = cursor.oneOf(["file"]) !== undefined;
  cursor.back(place);
  return isFile;
}

function parseWrite(cursor: Cursor, block: string | undefined): Parsed {
  cursor.skip(["the text", "text", "the"]);
  const content = block === undefined ? cursor.text() : block;
  if (content === undefined) return misfit("the text to write is missing");
  if (
    cursor.oneOf(["to the file", "into the file", "to a new file", "to file", "to", "into", "in", "as"]) === undefined
  ) {
    return misfit('the file name is missing: `write "text" to FILE`');
  }
  const path = cursor.path();
  if (path === undefined) return misfit("the file name is missing");
  return cursor.atEnd ? { form: "create", path, content } : misfit(notUnderstood(cursor));
}

const BEFORE_TEXT = [
  "a new line",
  "the new line",
  "a line",
  "the line",
  "the lines",
  "the text",
  "line",
  "text",
  "the",
];
const TO_FILE = [
  "to the end of the file",
  "to the end of",
  "at the end of the file",
  "at the end of",
  "to the bottom of",
  "at the bottom of",
  "to the file",
  "to file",
  "to",
  "into",
  "in",
];

/** `append "text" to FILE`. */
export function parseAppend(cursor: Cursor, _verb: string, block: string | undefined): Parsed {
  if (block === undefined) cursor.skip(BEFORE_TEXT);
  const before = block === undefined && cursor.oneOf(TO_FILE) === undefined ? cursor.text() : undefined;
  if (before !== undefined && cursor.oneOf(TO_FILE) === undefined) {
    return misfit('the file name is missing: `append "text" to FILE` (a text of several words needs quotes)');
  }
  if (block !== undefined) cursor.oneOf(TO_FILE);
  const path = cursor.path();
  if (path === undefined) return misfit("the file name is missing");
  const text = block ?? before ?? cursor.text();
  if (text === undefined) return misfit("the text to append is missing");
  if (!cursor.atEnd) return misfit(`${notUnderstood(cursor)} (a text of several words needs quotes)`);
  if (isGlob(path)) return misfit(`append takes one file, and "${path}" is a glob`);
  if (text === "") return misfit("the text to append is empty");
  return { form: "append", path, text };
}

/** Requests that the engine leaves to the shell. */
export function parseShellWork(cursor: Cursor, verb: string): Misfit {
  cursor.skip(["the", "file", "files", "folder", "directory", "all"]);
  const quoted = cursor.peek()?.kind === "quoted";
  const [text, first] = [cursor.peek()?.text ?? "", cursor.peek()?.raw ?? "FILE"];
  cursor.next();
  if (verb === "move" || verb === "mv" || verb === "copy" || verb === "cp") {
    const command = verb === "copy" || verb === "cp" ? "cp" : "mv";
    cursor.skip(["to", "into", "as", "in"]);
    const second = cursor.peek()?.raw ?? "TARGET";
    return misfit(
      `the offline engine does not ${command === "cp" ? "copy" : "move"} files by itself; ask for the command: \`run ${command} ${first} ${second}\``,
    );
  }
  if (quoted && cursor.oneOf(["from", "in"]) !== undefined) {
    return misfit(
      `to delete a text, replace it with nothing: \`replace "${text}" with "" in ${cursor.path() ?? "FILE"}\``,
    );
  }
  return misfit(`the offline engine does not delete by itself; ask for the command: \`run rm ${first}\``);
}
