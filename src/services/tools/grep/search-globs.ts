import { join, relative, resolve } from "node:path";
import { ToolFailedError } from "../../../contracts/errors.ts";
import { kindAt } from "../../../platform/files/kind-at.ts";
import { withSlashes } from "../../../platform/globs/fixed-part.ts";
import { partsOf } from "../../../platform/globs/glob-braces.ts";
import { escapedGlob, isAmbiguous, type PathMatcher, pathGlobs } from "../../../platform/globs/path-glob.ts";
import { entryExists } from "../../../platform/paths.ts";

/** The meaning of the field `glob`, for ripgrep and for the filter of its results. Paths are relative to the root. */
export type SearchGlobs = {
  /** The globs as the model wrote them. */
  readonly shown: readonly string[];
  /** Values of ripgrep's `--glob`. They may admit too many files: `isWanted` and `isLeftOut` decide. */
  readonly forRipgrep: readonly string[];
  readonly isWanted: PathMatcher;
  /** True if the file matches with every part that can be a name taken for a name: such files go before all others. */
  readonly isSpelled: PathMatcher;
  /** True if a glob excludes the file or folder. */
  readonly isLeftOut: PathMatcher;
};

type SearchFolders = { readonly cwd: string; readonly root: string; readonly home: string };

/**
 * Reads the field `glob`: `*.ts *.tsx` and `*.ts,*.tsx` are two globs, `*.{ts,tsx}` is one, and a name that exists may
 * contain spaces and commas. Globs for every file are left out, because for ripgrep they would include files that git
 * ignores. A glob that repeats the searched folder (`src/*.ts` in `src`) also counts without it.
 * @throws {ToolFailedError} the globs have too many alternatives.
 */
export function searchGlobs(glob: string | undefined, folders: SearchFolders): SearchGlobs {
  const { root } = folders;
  const shown = splitGlobs(glob ?? "", root);
  const globs = shown.flatMap((one) => formsIn(one, folders));
  const included = globs.filter((one) => !one.startsWith("!")).flatMap((one) => withFiles(one, root));
  const excluded = globs.filter((one) => one.startsWith("!")).map((one) => one.slice(1));
  const wanted = matcherOf([...included, ...included.map(withPlainBrackets)], root);
  const spelled = included.some(isAmbiguous) ? pathGlobs(included.map(anchored), root, "as spelled") : undefined;
  const unwanted = matcherOf(excluded, root);
  return {
    shown,
    forRipgrep: [
      ...included.flatMap((one) => ripgrepForms(one, root)),
      ...excluded
        .map((one) => withLiteralStart(one, root))
        .flatMap(({ text, isCertain }) => (isCertain && isValid(text) ? [`!${text}`] : [])),
    ],
    isWanted: (path) => wanted?.(path) ?? true,
    isSpelled: (path) => spelled?.(path) ?? false,
    isLeftOut: (path) => unwanted !== undefined && foldersOf(path).some(unwanted),
  };
}

const SEPARATOR = /[\s,]+(?![^{]*\})/g;

/** The files that the globs mean: a name that exists goes before a pattern. */
export function meantBy<File extends { readonly path: string }>(
  globs: SearchGlobs,
  files: readonly File[],
): readonly File[] {
  const spelled = files.filter(({ path }) => globs.isSpelled(path));
  return spelled.length > 0 ? spelled : files;
}

function splitGlobs(glob: string, root: string): readonly string[] {
  const separators = [...glob.matchAll(SEPARATOR)].map(({ 0: { length }, index }) => ({ index, end: index + length }));
  const parts: string[] = [];
  let start = 0;
  for (const { index, end } of separators) {
    if (isInName(glob, { start, index, ends: separators.map((one) => one.index) }, root)) continue;
    parts.push(glob.slice(start, index));
    start = end;
  }
  parts.push(glob.slice(start));
  return parts.filter((part) => part !== "").filter((part) => !/^(?:\.\/)?\*{1,2}(?:\/\*{1,2})?$/.test(part));
}

type Separator = { readonly start: number; readonly index: number; readonly ends: readonly number[] };

/** True if a separator belongs to the name of an existing file or folder. */
function isInName(glob: string, { start, index, ends }: Separator, root: string): boolean {
  const nextSlash = glob.indexOf("/", index);
  const last = nextSlash < 0 ? glob.length : nextSlash;
  const begin = glob.slice(start).startsWith("!") ? start + 1 : start;
  return [...ends.filter((end) => end > index && end < last), last].some((end) =>
    entryExists(join(root, glob.slice(begin, end))),
  );
}

/** A glob that names a folder, as in Glob, means all files in it. */
function withFiles(glob: string, root: string): readonly string[] {
  if (glob.endsWith("/")) return [`${glob}**`];
  return kindAt(join(root, glob)) === "folder" ? [glob, `${glob}/**`] : [glob];
}

/** A glob relative to the searched folder, in each meaning. */
function formsIn(glob: string, { cwd, root, home }: SearchFolders): readonly string[] {
  const not = glob.startsWith("!") && !entryExists(join(root, glob)) ? "!" : "";
  const written = withSlashes(glob.slice(not.length).replace(/^\.\//, ""), root).replace(/^~(?=\/)/, home);
  const bare = written.split("/").includes("..") ? resolve(cwd, written) : written;
  const inside = relative(cwd, root);
  const [prefix = ""] = [`${root}/`, ...(inside === "" ? [] : [`${inside}/`])].filter((one) => bare.startsWith(one));
  const short = `${not}/${bare.slice(prefix.length)}`;
  if (prefix.startsWith("/")) return [short];
  return prefix === "" ? [not + bare] : [not + bare, short];
}

function matcherOf(globs: readonly string[], root: string): PathMatcher | undefined {
  if (globs.length === 0) return undefined;
  const matches = pathGlobs(globs.map(anchored), root);
  if (!matches) throw new ToolFailedError("The glob has too many alternatives: split the search.");
  return matches;
}

/** Without a slash a glob matches in every folder. */
function anchored(glob: string): string {
  const trimmed = glob.replace(/\/$/, "").replace(/\/\*\*$/, "/**/*");
  return trimmed.includes("/") ? trimmed : `**/${trimmed}`;
}

/** The path itself and the folders that contain it. */
function foldersOf(path: string): readonly string[] {
  const names = path.split("/");
  return names.map((_, index) => names.slice(0, index + 1).join("/"));
}

/** ripgrep can't tell which parts exist: it gets each meaning that the glob may have. */
function ripgrepForms(glob: string, root: string): readonly string[] {
  const { text, isCertain } = withLiteralStart(glob, root);
  const literal = text
    .split("/")
    .map((part) => (part.includes("*") ? part : escapedPart(part)))
    .join("/");
  const forms = [text, withPlainBrackets(text), ...(isCertain ? [] : [literal])];
  // Disks keep accented letters in one of two forms, and ripgrep compares bytes.
  const spellings = forms.flatMap((form) => [form, form.normalize("NFC"), form.normalize("NFD")]);
  return [...new Set(spellings.filter(isValid))];
}

type LiteralStart = {
  readonly text: string;
  /** False if a part after a wildcard may exist as it is written. */
  readonly isCertain: boolean;
};

/** Escapes the parts before the first wildcard that exist as they are written. */
function withLiteralStart(glob: string, root: string): LiteralStart {
  if (!glob.replace(/\/$/, "").includes("/")) return { text: glob, isCertain: !isAmbiguous(glob) };
  const parts = partsOf(glob);
  const done: string[] = [];
  let folder = root;
  for (const [at, part] of parts.entries()) {
    const exists = entryExists(join(folder, part));
    if (!exists && /[*?[{\\]/.test(part)) {
      const rest = parts.slice(at);
      const isCertain = !isAmbiguous(rest.slice(1).join("/"));
      return { text: lead(glob) + [...done, ...rest].join("/") + trail(glob), isCertain };
    }
    done.push(exists && isAmbiguous(part) ? escapedGlob(part) : part);
    folder = join(folder, part);
  }
  return { text: lead(glob) + done.join("/") + trail(glob), isCertain: true };
}

function lead(glob: string): string {
  return glob.startsWith("/") ? "/" : "";
}

function trail(glob: string): string {
  return glob.endsWith("/") ? "/" : "";
}

function escapedPart(part: string): string {
  return part.replace(/(?<!\\)[[\]{}]/g, "\\$&");
}

/** `[id].*` → `\[id\].*` */
function withPlainBrackets(glob: string): string {
  return glob.replace(/(?<!\\)[[\]]/g, "\\$&");
}

/** False for a glob that ripgrep refuses: an open bracket or brace, or a range such as that of `[post-id]`. */
function isValid(glob: string): boolean {
  const classes = /\[[!^]?(\]?[^\]]*)\]/g;
  const plain = glob.replace(/\\./gs, "");
  const ranges = [...plain.matchAll(classes)].flatMap(([, inside = ""]) => [...inside.matchAll(/(.)-(.)/gs)]);
  const rest = plain.replace(classes, "");
  const isBalanced = rest.split("{").length === rest.split("}").length;
  return isBalanced && !rest.includes("[") && ranges.every(([, from = "", to = ""]) => from <= to);
}
