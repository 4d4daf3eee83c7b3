import type { DeclaredHook } from "./declared-hook.ts";

/** A folder of a plugin, or one entry of it. */
export type PluginPath = {
  /** Absolute. */
  readonly folder: string;
  /** The only entry that counts. */
  readonly only?: string;
};

/** A plugin whose files were read. Nothing of it has run. */
export type Plugin = {
  /** Stands before the names of its skills and commands. */
  readonly name: string;
  /** `name@marketplace`; `name@inline` for a folder of `--plugin-dir`. */
  readonly id: string;
  readonly version?: string;
  readonly description?: string;
  /** Its folder; absolute, links resolved. */
  readonly root: string;
  /** The folder in which it keeps its own data; absolute. */
  readonly data: string;
  readonly skills: readonly PluginPath[];
  readonly commands: readonly PluginPath[];
  readonly styles: readonly PluginPath[];
  /** Names of agents, which are only listed. */
  readonly agents: readonly string[];
  readonly hooks: readonly DeclaredHook[];
  /** Entries of MCP servers as they are written, by name. */
  readonly servers: Readonly<Record<string, unknown>>;
  /** The parts that have no effect in Quoll: `language servers`. */
  readonly unsupported: readonly string[];
  /** One printable line for each part that can't be used. */
  readonly problems: readonly string[];
};

/** The marketplace of folders that the command line names. */
export const INLINE_MARKETPLACE = "inline";
