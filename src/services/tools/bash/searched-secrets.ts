import { relative } from "node:path";
import type { OpenedNetwork, Subject } from "../../../contracts/subject.ts";
import { namedFew } from "../../../contracts/words.ts";
import { isInside } from "../../../platform/paths.ts";
import { foundFiles } from "./found-files.ts";
import { areReadOnly } from "./plain-names.ts";
import type { ShellContext } from "./shell-context.ts";
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
  return hiddenOf(subjects, context.isHidden);
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
