import { relative } from "node:path";
import type { SimpleCommand } from "@quoll/bash-syntax/types";
import type { OpenedNetwork, Subject } from "../../../contracts/subject.ts";
import { namedFew } from "../../../contracts/words.ts";
import { isInside } from "../../../platform/paths.ts";
import { foundFiles } from "./found-files.ts";
import { areReadOnly } from "./plain-names.ts";
import type { ShellContext } from "./shell-context.ts";
import { pathInShell } from "./shell-folder.ts";
import { judgeShell } from "./shell-subjects.ts";

const MAX_NAMED = 3;

type SearchContext = Pick<ShellContext, "cwd" | "env" | "parser" | "isTrusted" | "isHidden"> & {
  readonly workspace: Parameters<typeof foundFiles>[2]["workspace"];
};

/** The files that a command would find in a search and that may not be shown: absolute paths. */
export async function searchedSecrets(command: string, context: SearchContext): Promise<readonly string[]> {
  const parsed = context.parser.parse(command);
  if (!parsed.understood) return [];
  const found = await foundFiles(command, parsed.commands, context);
  const { subjects } = await judgeShell(command, parsed, {
    ...context,
    onlyLooks: areReadOnly(parsed.commands),
    found,
  });
  return [...hiddenOf(subjects, context.isHidden), ...(await secretsBehindMove(command, parsed.commands, context))];
}

/**
 * The files that may not be shown and that the programs of a search would get, in a line that changes the folder first
 * (`cd src && find . -exec grep x {} +`). Permissions judge such a line as one of unknown files; in the sandbox, these are hidden.
 */
export async function secretsBehindMove(
  source: string,
  commands: readonly SimpleCommand[],
  context: Pick<SearchContext, "cwd" | "parser" | "workspace" | "isHidden">,
): Promise<readonly string[]> {
  const [move, ...rest] = commands;
  const [program, target, ...more] = move?.words ?? [];
  if (!move || program?.value !== "cd" || target?.value === undefined || more.length > 0) return [];
  if (move.within.length + move.assignments.length + move.redirects.length > 0) return [];
  const whole = source.trimStart();
  const behind = whole.startsWith(move.source) ? /^\s*(?:&&|;|\n)\s*/.exec(whole.slice(move.source.length)) : null;
  const folder = await pathInShell(target.value, context.cwd);
  if (!behind || folder === undefined) return [];
  const line = whole.slice(move.source.length + behind[0].length);
  const { parser, workspace } = context;
  const isHidden = (path: string) => context.isHidden(path);
  const found = await foundFiles(line, rest, { cwd: folder, parser, workspace, isHidden });
  return found?.reads.filter(isHidden) ?? [];
}

export function hiddenOf(subjects: readonly Subject[], isHidden: (path: string) => boolean): readonly string[] {
  const found = subjects.flatMap((one) => (one.action === "read" && one.isFound ? [one.path] : []));
  return found.filter((path) => isHidden(path));
}

/**
 * Without this line, a search that skips masked files would look as if they contained no match, and a program that had a
 * network as if the project had no `.env`. For the latter, each file is named.
 */
export function hiddenNote(hidden: readonly string[], cwd: string, opened?: OpenedNetwork): readonly string[] {
  if (hidden.length === 0) return [];
  const names = hidden.map((path) => {
    const name = isInside(cwd, path) ? relative(cwd, path) : path;
    return name.replace(/[\p{Cc}\p{Cf}]/gu, "?");
  });
  const way = opened ? " (it had a network; sandbox.filesystem.allowRead opens a file)" : "";
  return [`hidden from this command: ${namedFew(names, opened ? names.length : MAX_NAMED)}${way}`];
}
