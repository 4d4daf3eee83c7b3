import { type Cursor, plainWord } from "./cursor.ts";
import { type Misfit, misfit, notUnderstood } from "./form.ts";
import type { Step } from "./step.ts";
import { extensionGlob, isGlob, readTarget } from "./target.ts";

type Parsed = Step | Misfit | undefined;

const NAMED = [
  "named",
  "called",
  "matching",
  "with the name",
  "by the name",
  "that match",
  "match",
  "are named",
  "are called",
  "like",
];
const FOLDERS = ["folders", "directories", "all folders", "all the folders", "all directories"];
const FILES = [
  "the files",
  "the file",
  "all the files",
  "all files",
  "every file",
  "a file",
  "any file",
  "files",
  "file",
];

/** `list files`, `list src`, `find *.ts`, `find files named X in FOLDER`. Undefined for a request of another form. */
export function parseList(cursor: Cursor, verb: string): Parsed {
  const isPlainList = verb === "list" || verb === "ls";
  cursor.skip(["me", "out"]);
  if (verb === "what" && !cursor.phrase("files are")) return undefined;
  if (verb === "which" && plainWord(cursor.peek()) !== "files") return undefined;
  const kind = afterArticle(cursor, () => extensionGlob(cursor));
  const saysFiles = kind !== undefined || verb === "what" || cursor.oneOf(FILES) !== undefined;
  if (saysFiles && speaksOfText(cursor)) return undefined;
  if (cursor.oneOf(NAMED) !== undefined || (saysFiles && isName(cursor))) return named(cursor);
  if (saysFiles) return rest(cursor, kind ?? "**/*");
  cursor.skip(["the"]);
  if (!isPlainList) return (verb === "show" ? isGlobHere(cursor) : isName(cursor)) ? single(cursor, false) : undefined;
  if (cursor.oneOf(FOLDERS) !== undefined) return misfit("list shows files, not folders; for folders: `run ls -d */`");
  cursor.oneOf(["everything", "all"]);
  return cursor.atEnd || startsTarget(cursor) ? rest(cursor, "**/*") : single(cursor, true);
}

function startsTarget(cursor: Cursor): boolean {
  const place = cursor.place;
  const isTarget = readTarget(cursor) !== undefined;
  cursor.back(place);
  return isTarget;
}

function afterArticle<Value>(cursor: Cursor, read: () => Value | undefined): Value | undefined {
  const place = cursor.place;
  cursor.skip(["all", "the", "every", "any"]);
  const value = read();
  if (value === undefined) cursor.back(place);
  return value;
}

/** True if content follows "files": `files containing "x"`. */
export function speaksOfText(cursor: Cursor): boolean {
  const word = plainWord(cursor.peek());
  if (word === "containing" || word === "contain" || word === "mentioning" || word === "where") return true;
  return (
    (word === "that" && plainWord(cursor.peek(1)) === "contain") ||
    (word === "with" && cursor.peek(1)?.kind === "quoted")
  );
}

/** True if the next token, unquoted, looks like a file name: a glob, a path, or a name with an extension. */
export function isName(cursor: Cursor): boolean {
  const token = cursor.peek();
  if (token?.kind !== "word") return false;
  return isGlob(token.text) || /[^/]\/|\/[^/]|\w\.[a-z0-9]{1,10}[.!,]?$/i.test(token.text.slice(-200));
}

function isGlobHere(cursor: Cursor): boolean {
  const token = cursor.peek();
  return token?.kind === "word" && isGlob(token.text) && isName(cursor);
}

/** Files with a name, and optionally a folder. */
export function named(cursor: Cursor): Parsed {
  const name = cursor.path();
  if (name === undefined) return misfit("the name to look for is missing");
  return rest(cursor, name);
}

/** One path after the verb. `list src` is a folder or a file, whichever exists; other names match at any depth. */
function single(cursor: Cursor, isPlainList: boolean): Parsed {
  const path = cursor.path();
  if (path === undefined) return misfit("the name to list is missing");
  cursor.oneOf(["folder", "directory"]);
  cursor.oneOf(["files"]);
  const hasExtension = /[^/]\.[A-Za-z0-9]{1,10}$/.test(path.slice(-200));
  if (!isPlainList || isGlob(path) || hasExtension) return rest(cursor, path);
  if (!cursor.atEnd) return misfit(notUnderstood(cursor));
  return path === "."
    ? { form: "list", pattern: "**/*", folder: undefined }
    : { form: "list", pattern: path, folder: undefined };
}

/** The part after the name: a folder, or nothing. A name without a slash matches at any depth. */
function rest(cursor: Cursor, name: string): Parsed {
  const target = readTarget(cursor);
  if (!cursor.atEnd) return misfit(notUnderstood(cursor));
  if (target?.kind === "glob") return misfit(`"${target.glob}" is a glob, but list needs a folder here`);
  const plain = isGlob(name) ? name : name.replace(/[[\]()!+@|]/g, "\\$&");
  const pattern = name.includes("/") ? name : `**/${plain}`;
  return { form: "list", pattern, folder: target?.kind === "path" ? target.path : undefined };
}
