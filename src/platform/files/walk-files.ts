import { join } from "node:path";
import { type IgnoreRules, isIgnored, nestedRules, startingRules } from "./ignore-rules.ts";
import { listFolder } from "./list-folder.ts";

type WalkOptions = {
  readonly signal: AbortSignal;
  /** True for a folder that is not entered, or a file that is not returned. */
  readonly skip?: (path: string) => boolean;
  /** True for a file to return, or a folder to enter, although it is ignored. Takes the path relative to the root. */
  readonly keep?: (name: string) => boolean;
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
    if (!options.keep?.(prefix + name) && isIgnored(path, kind === "folder", rules)) continue;
    if (kind === "file") yield prefix + name;
    else yield* walk({ folder: path, prefix: `${prefix}${name}/`, rules, options });
  }
}
