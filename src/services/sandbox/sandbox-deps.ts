import type { Asker, PathRule } from "../../contracts/permission.ts";
import type { SandboxSettings } from "../../contracts/settings.ts";
import type { Environment } from "../../platform/env.ts";
import type { SystemFacts } from "../../platform/sandbox/system-facts.ts";

export type SandboxDeps = {
  /** The workspace's folders; absolute, without links. */
  readonly roots: readonly string[];
  readonly projectRoot: string;
  readonly home: string;
  /** Quoll's own folders, which no command sees. */
  readonly ownFolders: readonly string[];
  /** Of these, the one where records and private files may be kept. */
  readonly stateFolder: string;
  /** For the caches of this project's package managers; its parent holds those of all projects. */
  readonly cacheFolder: string;
  /** This session's artefacts, which commands may read. */
  readonly artifacts: string;
  /** Data of git's outside of the project (worktrees). */
  readonly gitFolders: readonly string[];
  readonly settings: SandboxSettings;
  readonly environment: Environment;
  /** The rules about paths in force; the same list as long as they don't change. None by default. */
  rules?(): readonly PathRule[];
  /** Who is asked about new names that only a command in the background can have made; nobody by default. */
  readonly asker?: Asker;
  /** How our own program is started, as an argument list begins. */
  readonly selfCommand: readonly string[];
  /** True when commands get the person's own terminal. */
  readonly hasTerminal?: boolean;
  /** Where the system keeps its own programs, as a search path; the usual folders by default. */
  readonly systemPath?: string;
  /** Tells the person one line. */
  warn?(line: string): void;
  /** What the machine says of itself; asked of it by default. */
  readonly facts?: SystemFacts;
};
