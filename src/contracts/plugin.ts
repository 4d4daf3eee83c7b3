import type { DeclaredHook } from "./declared-hook.ts";

/** A folder of a plugin, or one entry of it. */
export type PluginPath = {
  /** Absolute. */
  readonly folder: string;
  /** If set, only this entry of the folder is used. */
  readonly only?: string;
};

/** A plugin whose files have been read. Nothing of it has run. */
export type Plugin = {
  /** The plugin's name, which prefixes the names of its skills and commands. */
  readonly name: string;
  /** `name@marketplace`; `name@inline` for a folder of `--plugin-dir`. */
  readonly id: string;
  readonly version?: string;
  readonly description?: string;
  /** The plugin's folder; absolute, links resolved. */
  readonly root: string;
  /** The folder for the plugin's own data; absolute. */
  readonly data: string;
  readonly skills: readonly PluginPath[];
  readonly commands: readonly PluginPath[];
  readonly styles: readonly PluginPath[];
  /** Names of agents. */
  readonly agents: readonly string[];
  /** The files of agents. */
  readonly agentFiles: readonly PluginPath[];
  readonly hooks: readonly DeclaredHook[];
  /** Entries of MCP servers as written in the plugin, by name. */
  readonly servers: Readonly<Record<string, unknown>>;
  /** The parts that have no effect in Quoll: `language servers`. */
  readonly unsupported: readonly string[];
  /** One printable line for each part that can't be used. */
  readonly problems: readonly string[];
};

/** The marketplace name for folders that the command line names. */
export const INLINE_MARKETPLACE = "inline";

/** A plugin in the list for a person. Every text of the listed plugin is safe to print. */
export type ListedPlugin = {
  readonly name: string;
  readonly id: string;
  readonly version?: string;
  readonly description?: string;
  readonly folder: string;
  readonly isInUse: boolean;
  readonly state: string;
  readonly adds: readonly string[];
  readonly mayDo: readonly string[];
  readonly remarks: readonly string[];
  /** The estimated tokens that the plugin adds to each request. */
  readonly tokens: number;
};

/** A reload, for a person. */
export type PluginReload = {
  /** At least one line. */
  readonly lines: readonly string[];
  /** Plugins and servers that can't be used. */
  readonly errorCount: number;
};

/** A plugin in the list of a marketplace. `problem`: the reason why it can't be installed. */
export type OfferedPlugin = {
  readonly name: string;
  readonly description: string | undefined;
  readonly version: string | undefined;
  readonly problem?: string;
};

/** A known marketplace. `problem`: the reason why its list can't be read. */
export type ListedMarketplace = {
  readonly name: string;
  /** Its folder or address. */
  readonly origin: string;
  readonly plugins: readonly OfferedPlugin[];
  readonly problem?: string;
};

/** A plugin before a person agrees to it. */
export type PluginOffer = {
  readonly id: string;
  /** The hash of all its files: a consent is for these files. */
  readonly tree: string;
  readonly isInstalled: boolean;
  /** The parts that the plugin adds, its permissions without a question, and its source. */
  readonly lines: readonly string[];
};

/** Marketplaces and the installation of their plugins, for a person. */
export type PluginShop = {
  marketplaces(): Promise<readonly ListedMarketplace[]>;
  /**
   * Adds a marketplace, or fetches it again; nothing is installed.
   * @param source A folder, `owner/repo`, or a git address.
   * @throws {UserFacingError} (as a rejection) it can't be fetched, or has no list.
   */
  add(source: string, signal: AbortSignal): Promise<ListedMarketplace>;
  /** Fetches the list of a known marketplace again. @throws {UserFacingError} (as a rejection) it can't be fetched. */
  update(name: string, signal: AbortSignal): Promise<ListedMarketplace>;
  /**
   * Fetches a plugin to show it; nothing is installed.
   * @param wanted `name`, `name@marketplace`, a folder, or the address of a repository.
   * @throws {UserFacingError} (as a rejection) there is no such plugin, or it can't be fetched.
   */
  offer(wanted: string, signal: AbortSignal): Promise<PluginOffer>;
  /**
   * Installs a plugin that the person agreed to, and enables it in their own settings.
   * @param tree The hash of the files that the person agreed to.
   * @throws {UserFacingError} (as a rejection) the files are no longer these: nothing is installed.
   */
  install(wanted: string, tree: string, signal: AbortSignal): Promise<readonly string[]>;
};

/** The plugins of a session, and other installed plugins. */
export type PluginsView = {
  /** Absent where no person can agree to a plugin. */
  readonly shop?: PluginShop;
  list(): Promise<readonly ListedPlugin[]>;
  /**
   * Saves whether the plugin is enabled, and reloads the plugins.
   * @throws {UserFacingError} (as a rejection) the choice can't be saved.
   */
  setEnabled(id: string, isEnabled: boolean, signal: AbortSignal): Promise<readonly string[]>;
  /** Reads the plugins again: their skills, commands, agents, hooks, servers and styles take effect at once. */
  reload(signal: AbortSignal): Promise<PluginReload>;
};
