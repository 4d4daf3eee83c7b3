import { basename } from "node:path";
import type { WritingCall } from "../../../contracts/checkpoint.ts";

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

/** True if a program of the call is known to write its files by renaming. */
export function replacesFiles({ programs = [] }: Pick<WritingCall, "programs">): boolean {
  return programs.some((program) => REPLACERS.has(basename(program)));
}
