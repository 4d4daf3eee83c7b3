import { basename } from "node:path";
import type { RecordedChanges, StoredChange, WritingCall } from "../../../contracts/checkpoint.ts";

/**
 * Programs that write a file by renaming another one over it. A file that a command replaced through one of these counts
 * as the command's change, not as one that an editor saved meanwhile.
 */
const REPLACERS: ReadonlySet<string> = new Set([
  ...["git", "jj", "hg", "svn"],
  ...["sed", "perl", "mv", "cp", "install", "ln", "rsync", "patch", "sponge", "sort"],
  ...["tar", "unzip", "7z", "bsdtar", "cpio"],
  ...["npm", "npx", "pnpm", "yarn", "bun", "bunx", "deno", "corepack"],
  ...["pip", "pip3", "uv", "poetry", "pdm", "pipenv", "conda", "black", "ruff", "isort"],
  ...["cargo", "rustfmt", "go", "gofmt", "goimports", "gem", "bundle", "composer", "mix", "dotnet"],
  ...["terraform", "tofu", "helm", "buf", "protoc"],
]);

/** The facts about calls that a record of their changes keeps. */
export function describeCalls(calls: readonly WritingCall[], messageId: string): Omit<RecordedChanges, "files"> {
  return {
    messageId,
    toolUseIds: calls.map(({ toolUseId }) => toolUseId),
    agentIds: [...new Set(calls.map(({ agentId }) => agentId))],
    commands: calls.flatMap(({ command, level, title }) => (level === "execute" ? [command ?? title] : [])),
    outside: [...new Set(calls.flatMap((call) => call.outside ?? []))],
  };
}

/** True for calls of editing tools; other tools that write, such as those of MCP servers, may write anywhere. */
export function namesItsFiles({ level, paths }: WritingCall): boolean {
  return level === "write" && paths.length > 0;
}

/** Another file was renamed over these paths by the call itself, if it names them or replaces files by its nature. */
export function withoutDoubt(calls: readonly WritingCall[]): (change: StoredChange) => StoredChange {
  const named = new Set(calls.flatMap(({ paths }) => paths));
  const replaces = calls.some(replacesFiles);
  return (change) => (replaces || named.has(change.path) ? certain(change) : change);
}

/** A change that is certainly of the calls. */
export function certain({ isReplaced: _, ...change }: StoredChange): StoredChange {
  return change;
}

/** A change that was made after the calls had ended. */
export function lateChange(change: StoredChange): StoredChange {
  return { ...change, isReplaced: true, isLate: true };
}

/** A change that may be the person's. */
export function doubtful(change: StoredChange): StoredChange {
  return { ...change, isReplaced: true };
}

/** True if a program of the call is known to write its files by renaming. */
function replacesFiles({ programs = [] }: Pick<WritingCall, "programs">): boolean {
  return programs.some((program) => REPLACERS.has(basename(program)));
}
