import type { ShellParser, SimpleCommand } from "@quoll/bash-syntax/types";
import type { Workspace } from "../../../contracts/ports.ts";
import type { FoundFiles } from "./found-files.ts";

export type ShellContext = {
  readonly workspace: Pick<Workspace, "contains">;
  /** Where the first command runs: absolute, links resolved. */
  readonly cwd: string;
  /** The environment that the commands will have. */
  readonly env: Readonly<Record<string, string>>;
  /** Reads the scripts that commands carry in their words. */
  readonly parser: ShellParser;
  /** False until the person has said that this folder is theirs: then git, which runs what a repository says, is asked for. */
  readonly isTrusted: boolean;
  /** Whether nothing in the whole line could make a file while it runs. */
  readonly onlyLooks: boolean;
  /** Set where a command of the line hands the files that it finds to one that only reads them. */
  readonly found: FoundFiles | undefined;
  /** What a git command would bring into the work tree that the sandbox moves aside; left out where there is no sandbox. */
  brings?(command: SimpleCommand, folder: string): Promise<readonly string[]>;
  /** Whether a file's text may not be shown unasked. */
  isHidden(path: string): boolean;
};
