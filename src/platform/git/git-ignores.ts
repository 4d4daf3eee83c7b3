import { dirname, isAbsolute, join, relative, sep } from "node:path";
import ignore, { type Ignore } from "ignore";
import { isInside } from "../paths.ts";
import { readSmallFile } from "../read-small-file.ts";

const MAX_RULES_BYTES = 1024 * 1024;
const EXCLUDES_FILE = /^[^#;\n]*?\bexcludesfile[ \t]*=[ \t]*"?([^"\n#;]+)/im;

/** The ignore files of one repository; the nearest one that decides about a name wins. */
type Repository = { readonly gitFolder: string; readonly workTree: string };
type Read = (file: string) => Ignore | undefined;

/**
 * Reads which files git ignores (gitignore(5)), without starting git.
 * @param repositories Data folders, mapped to their work trees.
 * @returns a function that tells whether git ignores a file: an absolute path without links; undefined for a file in no
 * work tree. Each ignore file is read once.
 */
export function gitIgnores(
  repositories: ReadonlyMap<string, string>,
  home: string,
): (path: string) => boolean | undefined {
  const known = new Map<string, Ignore | undefined>();
  const read = (file: string) => {
    if (!known.has(file)) known.set(file, rulesIn(file));
    return known.get(file);
  };
  return (path) => {
    const [innermost] = [...repositories]
      .map(([gitFolder, workTree]) => ({ gitFolder, workTree }))
      .filter(({ workTree }) => isInside(workTree, path))
      .sort((a, b) => b.workTree.length - a.workTree.length);
    return innermost && isIgnoredIn(innermost, path, { read, home });
  };
}

function isIgnoredIn(repository: Repository, path: string, by: { read: Read; home: string }): boolean {
  const names = relative(repository.workTree, path).split(sep);
  // Git does not look into an ignored folder.
  return names.some((_, index) => {
    const isFolder = index < names.length - 1;
    return (
      decides(repository, { path: join(repository.workTree, ...names.slice(0, index + 1)), isFolder }, by) === true
    );
  });
}

/** True or false by the first rule that applies; undefined if none does. */
function decides(
  { gitFolder, workTree }: Repository,
  { path, isFolder }: { path: string; isFolder: boolean },
  { read, home }: { read: Read; home: string },
): boolean | undefined {
  const places: { readonly file: string; readonly from: string }[] = [];
  for (let from = dirname(path); isInside(workTree, from); from = dirname(from))
    places.push({ file: join(from, ".gitignore"), from });
  places.push(
    { file: join(gitFolder, "info", "exclude"), from: workTree },
    { file: excludesFile(home), from: workTree },
  );
  for (const { file, from } of places) {
    const name = relative(from, path).split(sep).join("/");
    const { ignored = false, unignored = false } = read(file)?.test(isFolder ? `${name}/` : name) ?? {};
    if (ignored || unignored) return ignored;
  }
  return undefined;
}

/** The person's own ignore file, for all repositories. */
function excludesFile(home: string): string {
  const named = EXCLUDES_FILE.exec(readSmallFile(join(home, ".gitconfig"), MAX_RULES_BYTES) ?? "")?.[1]?.trim();
  if (named?.startsWith("~/")) return join(home, named.slice(2));
  return named !== undefined && isAbsolute(named) ? named : join(home, ".config", "git", "ignore");
}

function rulesIn(file: string): Ignore | undefined {
  const text = readSmallFile(file, MAX_RULES_BYTES);
  return text === undefined ? undefined : ignore().add(text);
}
