import { oneLine } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import type { GitNames } from "../../contracts/subject.ts";
import { namedFew } from "../../contracts/words.ts";
import { isInside } from "../../platform/paths.ts";
import { shellQuoted } from "../../platform/shell-quoted.ts";
import type { ReferencesPlan } from "./plan-backup.ts";
import type { CommitPlan } from "./plan-work-tree.ts";

/** More names are written into a file that git reads. */
const MAX_ARGUMENTS = 8;
const MAX_SHOWN_NAMES = 3;
const MAX_NAME_COLUMNS = 60;
/** Signs of git's own patterns in a path. */
const MAGIC = /[*?[\\]|^:/;
/** A line of the transcript can't contain these. */
const CONTROL = /\p{Cc}/u;
/** `stash@{2}` or `2`; without a word, git means the newest. */
const STASH_WORD = /^(?:stash@\{(\d+)\}|(\d+))$/;

/** True if names don't fit into the line about a backup. */
export function needsNameFile(names: readonly string[]): boolean {
  return names.length > MAX_ARGUMENTS || names.some((name) => CONTROL.test(name));
}

/**
 * The line about a commit, with commands that overwrite exactly its names, and delete again exactly what was deleted.
 * @param fileOf Returns a file with these names, for names that the line can't contain.
 */
export function commitLine(
  { git, names, gone, isWhole }: CommitPlan,
  ref: string,
  fileOf: (names: readonly string[]) => string,
): string {
  const { top, gitFolder } = git.repository;
  const restore = (which: readonly string[], flags: string) => {
    const literal = which.some((name) => MAGIC.test(name)) ? " --literal-pathspecs" : "";
    // The submodule's folder may be empty or missing at the time of the restore.
    const open =
      isInside(top, gitFolder) || !isWhole
        ? `git${literal} -C ${shellQuoted(top)}`
        : `mkdir -p ${shellQuoted(top)} && git${literal} --git-dir=${shellQuoted(gitFolder)} -C ${shellQuoted(top)} --work-tree=.`;
    const paths = needsNameFile(which)
      ? `--pathspec-from-file=${shellQuoted(fileOf(which))} --pathspec-file-nul`
      : `-- ${which.map(shellQuoted).join(" ")}`;
    return `${open} restore ${flags}--source=${ref} ${paths}`;
  };
  const kept = [
    ...(names.length > 0 ? [`Backed up ${shownNames(names)}`] : []),
    ...(gone.length > 0 ? [`${names.length > 0 ? "noted" : "Noted"} the deletion of ${shownNames(gone)}`] : []),
  ];
  // With --overlay, git deletes nothing below a folder.
  const commands = [
    ...(names.length > 0 ? [restore(names, "--overlay ")] : []),
    ...(gone.length > 0 ? [restore(gone, "")] : []),
  ];
  return `${kept.join("; ")}. Undo: ${commands.join(" && ")}`;
}

/** `a.txt, b.txt, c.txt and 4 more` */
export function shownNames(names: readonly string[]): string {
  return namedFew(
    names.map((name) => oneLine(name, MAX_NAME_COLUMNS)),
    MAX_SHOWN_NAMES,
  );
}

/** The lines about references: how to bring back exactly those that the command names, else how to bring back any. */
export function referencesLine(reason: string, { git, found, asked }: ReferencesPlan, root: string): string {
  const { references } = found;
  const open = `git -C ${shellQuoted(git.repository.top)}`;
  const known = new Set(references.map(({ name }) => name));
  const exact = asked.length > 0 ? asked.map((names) => exactWay(names, known, root)) : [undefined];
  const ways = exact.flatMap((way) => way ?? []);
  if (ways.length > 0 && exact.every((way) => way !== undefined)) {
    const commands = [...new Set(ways.map(({ command }) => `${open} ${command}`))].join(" && ");
    return `Backed up ${shownNames(ways.map(({ what }) => what))}. Undo: ${commands}`;
  }
  const has = (folder: string) => references.some(({ name }) => name.startsWith(`${folder}/`));
  const general = [
    ...(has("heads") ? [{ what: "a branch", command: `branch NAME ${root}/heads/NAME` }] : []),
    ...(has("tags") ? [{ what: "a tag", command: `tag NAME ${root}/tags/NAME` }] : []),
    ...(has("stash") ? [{ what: "a stash", command: `stash apply ${root}/stash/0` }] : []),
  ];
  const kept = `Copies kept before a command that ${reason}: ${plural(references.length, "reference")} under ${root}.`;
  const said = ["To list them", ...general.map(({ what }) => `to bring back ${what}`)].join(", ");
  return [
    `${kept} ${said}:`,
    `${open} for-each-ref ${root}`,
    ...general.map(({ command }) => `${open} ${command}`),
  ].join("\n");
}

type Way = { readonly what: string; readonly command: string };

/** @returns undefined if the command's words don't say which references it changes. */
function exactWay({ sub, either }: GitNames, known: ReadonlySet<string>, root: string): readonly Way[] | undefined {
  switch (sub) {
    case "stash drop":
    case "stash pop": {
      const match = either[0] === undefined ? ["", "0"] : STASH_WORD.exec(either[0]);
      return match ? stashes([Number(match[1] ?? match[2])], known, root) : undefined;
    }
    case "stash clear": {
      const all = [...known].flatMap((name) => /^stash\/(\d+)$/.exec(name)?.[1] ?? []).map(Number);
      return stashes(all, known, root);
    }
    case "tag":
      return named(either, "tags", known)?.map((name) => {
        return {
          what: `the tag ${name}`,
          command: `update-ref ${shellQuoted(`refs/tags/${name}`)} ${shellQuoted(`${root}/tags/${name}`)}`,
        };
      });
    case "branch":
      return named(either, "heads", known)?.map((name) => {
        return {
          what: `the branch ${name}`,
          command: `branch ${shellQuoted(name)} ${shellQuoted(`${root}/heads/${name}`)}`,
        };
      });
    default:
      return undefined;
  }
}

/** Every name, if each is a reference of this kind. */
function named(words: readonly string[], folder: string, known: ReadonlySet<string>): readonly string[] | undefined {
  return words.length > 0 && words.every((word) => known.has(`${folder}/${word}`)) ? words : undefined;
}

/** The oldest first, because each becomes the newest of the list. */
function stashes(wanted: readonly number[], known: ReadonlySet<string>, root: string): readonly Way[] | undefined {
  const there = wanted.filter((index) => known.has(`stash/${index}`)).sort((a, b) => b - a);
  if (there.length === 0 || there.length > MAX_ARGUMENTS) return undefined;
  return there.map((index) => ({ what: `stash@{${index}}`, command: `stash store ${root}/stash/${index}` }));
}
