import { type Cursor, plainWord } from "./cursor.ts";
import type { Target } from "./step.ts";

const EVERYWHERE = [
  "everywhere",
  "in all files",
  "in every file",
  "in the whole project",
  "in the whole repository",
  "in the whole repo",
  "in the whole codebase",
  "in the project",
  "in the repository",
  "in the repo",
  "in the codebase",
  "in the workspace",
  "in this project",
  "in this repository",
  "in this repo",
  "in this folder",
  "in this directory",
  "across the project",
  "across the repository",
  "across the repo",
  "across the codebase",
  "here",
];
const PREPOSITIONS = ["inside of", "inside", "within", "under", "across", "in"];
const BEFORE_PATH = [
  "all of",
  "all files in",
  "all files under",
  "all files matching",
  "files in",
  "files under",
  "files matching",
  "every file in",
  "every file under",
  "all",
  "every",
  "the file",
  "the files",
  "the folder",
  "the directory",
  "the",
  "file",
  "files",
  "folder",
  "directory",
];
const AFTER_PATH = ["files", "file", "folder", "directory"];

/** Common words for languages and file kinds. */
const EXTENSIONS: ReadonlySet<string> = new Set(
  "ts tsx mts cts js jsx mjs cjs py go rs java kt c h cc cpp hpp cs rb php swift md mdx sh bash json jsonc yaml yml toml css scss html xml sql txt csv svg lock".split(
    " ",
  ),
);

/** True if a path is a glob. Square brackets alone do not make a glob: `pages/[id].tsx` is a file. */
export function isGlob(path: string): boolean {
  return path.includes("*") || path.includes("?") || /\{[^{}]*,/.test(path.slice(0, MAX_GLOB_CHARS));
}

const MAX_GLOB_CHARS = 4_096;

function targetOf(path: string): Target {
  if (path === "." || path === "**" || path === "**/*") return { kind: "everywhere" };
  if (isGlob(path)) return { kind: "glob", glob: path };
  return { kind: "path", path: withoutSlash(path) };
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

/** `ts`, `.ts` or `*.ts` before the word "files", as a glob. */
export function extensionGlob(cursor: Cursor): string | undefined {
  const word = plainWord(cursor.peek());
  const after = plainWord(cursor.peek(1));
  if (word === undefined || (after !== "files" && after !== "file")) return undefined;
  const isKnown = EXTENSIONS.has(word) || /^\.[a-z0-9]+$/.test(word);
  if (!isKnown) return undefined;
  cursor.next();
  cursor.next();
  return `*.${word.replace(/^\./, "")}`;
}

/** Takes `in FILE`, `in FOLDER`, `in GLOB`, `in all ts files in FOLDER` or `everywhere`; undefined if none follows. */
export function readTarget(cursor: Cursor): Target | undefined {
  const place = cursor.place;
  if (cursor.oneOf(EVERYWHERE) !== undefined) {
    // "in all files in src" is more specific than "in all files".
    const narrower = readTarget(cursor);
    return narrower ?? { kind: "everywhere" };
  }
  if (cursor.oneOf(PREPOSITIONS) === undefined) return undefined;
  cursor.skip(["all of", "all", "every", "the"]);
  const kind = extensionGlob(cursor);
  if (kind !== undefined) {
    const folder = readTarget(cursor);
    return { kind: "glob", glob: folder?.kind === "path" ? `${folder.path}/**/${kind}` : kind };
  }
  cursor.skip(BEFORE_PATH);
  const path = cursor.path();
  if (path === undefined) {
    cursor.back(place);
    return undefined;
  }
  cursor.oneOf(AFTER_PATH);
  return targetOf(path);
}

/** A target as text for people, to follow a verb. */
export function describeTarget(target: Target): string {
  switch (target.kind) {
    case "everywhere":
      return "in any file of this folder";
    case "path":
      return `in ${target.path}`;
    case "glob":
      return `in any file that matches ${target.glob}`;
  }
}
