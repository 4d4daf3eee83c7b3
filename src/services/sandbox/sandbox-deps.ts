import type { PathRule } from "../../contracts/permission.ts";
import type { Asker } from "../../contracts/question.ts";
import type { SandboxSettings } from "../../contracts/settings.ts";
import type { Environment } from "../../platform/env.ts";
import type { SystemFacts } from "./io/system-facts.ts";

export type SandboxDeps = {
  /** The workspace's folders; absolute, without links. */
  readonly roots: readonly string[];
  readonly projectRoot: string;
  readonly home: string;
  /** Quoll's own folders, hidden from every command. */
  readonly ownFolders: readonly string[];
  /** The folder among these for records and private files. */
  readonly stateFolder: string;
  /** Folder for this project's package caches; its parent holds those of all projects. */
  readonly cacheFolder: string;
  /** This session's artefacts, which commands may read. */
  readonly artifacts: string;
  /** Git data folders outside the project (worktrees). */
  readonly gitFolders: readonly string[];
  readonly settings: SandboxSettings;
  readonly environment: Environment;
  /** The path rules in effect; the same array until the rules change. None by default. */
  rules?(): readonly PathRule[];
  /** True if a path (absolute) names a file or folder that contains secrets; none by default. */
  isSecret?(path: string): boolean;
  /** Asks about new entries that only a background command can have created; nobody by default. */
  readonly asker?: Asker;
  /** First arguments of a command that starts Quoll itself. */
  readonly selfCommand: readonly string[];
  /** True when commands inherit the person's terminal. */
  readonly hasTerminal?: boolean;
  /** Search path of the system's own programs; the usual folders by default. */
  readonly systemPath?: string;
  /** Shows the person one line. */
  onNotice?(line: string): void;
  /** Facts about the machine; read from the system by default. */
  readonly facts?: SystemFacts;
};
