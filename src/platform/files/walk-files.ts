import { dirname, join, relative, sep } from "node:path";
import ignore, { type Ignore } from "ignore";
import { readSmallFile } from "../read-small-file.ts";
import { listFolder } from "./list-folder.ts";

type WalkOptions = {
  readonly signal: AbortSignal;
  /** True for a folder that is not entered, or a file that is not returned. */
  readonly skip?: (path: string) => boolean;
};

/**
 * Returns every file under a folder that git would see, including hidden files, as paths relative to the folder with
 * `/` between names; the same files as `rg --files --hidden --glob '!.git' --no-require-git`, less git's global
 * excludes. Links are not followed; unreadable folders are skipped.
 * @throws the abort reason when `signal` aborts.
 */
export async function* walkFiles(root: string, options: WalkOptions): AsyncGenerator<string> {
  yield* walk({ folder: root, prefix: "", rules: await startingRules(root), options });
}

type Step = {
  readonly folder: string;
  readonly prefix: string;
  readonly rules: IgnoreRules;
  readonly options: WalkOptions;
};

async function* walk({ folder, prefix, rules: above, options }: Step): AsyncGenerator<string> {
  options.signal.throwIfAborted();
  const entries = await listFolder(folder).catch(() => []);
  const rules =
    prefix === ""
      ? above
      : await nestedRules(
          folder,
          entries.map(({ name }) => name),
          above,
        );
  for (const { name, kind } of entries) {
    if (name === ".git" || (kind !== "file" && kind !== "folder")) continue;
    const path = join(folder, name);
    if (options.skip?.(path)) continue;
    if (isIgnored(path, kind === "folder", rules)) continue;
    if (kind === "file") yield prefix + name;
    else yield* walk({ folder: path, prefix: `${prefix}${name}/`, rules, options });
  }
}

/** Strongest first: a match of one kind, in any folder, wins over the next kind, as in ripgrep. */
const KINDS = [".rgignore", ".ignore", ".gitignore", join(".git", "info", "exclude")] as const;
const MAX_RULES_BYTES = 1024 * 1024;

type Rules = { readonly kind: string; readonly folder: string; readonly ignore: Ignore };

/** The ignore files of a folder and its parents, nearest first, as used by git and ripgrep. */
type IgnoreRules = readonly Rules[];

/**
 * The rules at the start folder of a walk. The start folder itself is never ignored, so rules that match it are left
 * out.
 */
async function startingRules(root: string): Promise<IgnoreRules> {
  const rules: Rules[] = [];
  for (let folder = root; ; folder = dirname(folder)) {
    rules.push(...(await rulesIn(folder, folder === root ? undefined : relative(folder, root))));
    if (dirname(folder) === folder) return rules;
  }
}

/** The rules in a folder inside the walk. */
async function nestedRules(folder: string, names: readonly string[], above: IgnoreRules): Promise<IgnoreRules> {
  if (!names.includes(".git") && !KINDS.some((kind) => names.includes(kind))) return above;
  return [...(await rulesIn(folder, undefined)), ...above];
}

/** The result of the nearest rule of the strongest kind for an entry. */
function isIgnored(path: string, isFolder: boolean, rules: IgnoreRules): boolean {
  for (const wanted of rules.length === 0 ? [] : KINDS) {
    for (const { kind, folder, ignore: matcher } of rules) {
      if (kind !== wanted) continue;
      const name = relative(folder, path).split(sep).join("/");
      const { ignored, unignored } = matcher.test(isFolder ? `${name}/` : name);
      if (ignored) return true;
      if (unignored) return false;
    }
  }
  return false;
}

async function rulesIn(folder: string, wanted: string | undefined): Promise<readonly Rules[]> {
  const texts = KINDS.map((kind) => readSmallFile(join(folder, kind), MAX_RULES_BYTES));
  return texts.flatMap((text, index) => {
    const lines = text?.split(/\r?\n/).filter((line) => wanted === undefined || !takesAway(line, wanted)) ?? [];
    return lines.length > 0 ? [{ kind: KINDS[index] ?? "", folder, ignore: ignore().add(lines) }] : [];
  });
}

function takesAway(line: string, wanted: string): boolean {
  if (line.trim() === "" || line.startsWith("!")) return false;
  return ignore()
    .add(line)
    .ignores(`${wanted.split(sep).join("/")}/`);
}
