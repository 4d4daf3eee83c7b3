import type { ShellParser, SimpleCommand } from "@quoll/bash-syntax/types";
import type { SessionTemporary, Workspace } from "../../../contracts/ports.ts";
import type { FoundFiles } from "./found-files.ts";

export type ShellContext = {
  readonly workspace: Pick<Workspace, "contains">;
  /** The folder of the first command: absolute, links resolved. */
  readonly cwd: string;
  /** The environment of the commands. */
  readonly env: Readonly<Record<string, string>>;
  /** The session's folder for temporary files; undefined if commands see the machine's own. */
  readonly temporary?: SessionTemporary | undefined;
  /** Parses scripts in the arguments of commands. */
  readonly parser: ShellParser;
  /** False until the person has trusted this folder: until then, git asks, because it runs programs that a repository names. */
  readonly isTrusted: boolean;
  /** True if no command of the line could create a file. */
  readonly onlyLooks: boolean;
  /** Set if a command of the line passes the files that it finds to one that only reads them. */
  readonly found: FoundFiles | undefined;
  /** The names that a git command would create and the sandbox moves aside; absent without a sandbox. */
  brings?(command: SimpleCommand, folder: string): Promise<readonly string[]>;
  /** True if a file's text may not be shown without asking. */
  isHidden(path: string): boolean;
};
