import { errorMessage } from "../../contracts/errors.ts";
import { isJsonObject } from "../../contracts/message.ts";
import { changeLockedJson, type LockedJson, readLockedJson } from "../../platform/locked-json.ts";
import { realPathOrSelf } from "../../platform/paths.ts";
import { isTooBroad } from "./too-broad.ts";
import { isUtcTime } from "./utc-time.ts";

/** Most folders kept; the oldest are dropped. */
const MAX_TRUSTED_FOLDERS = 2_000;
const VERSION = 1;

/** `folders`: by absolute path, symlinks resolved; `trustedAt`: ISO 8601, UTC. */
type Store = {
  readonly version: typeof VERSION;
  readonly folders: Readonly<Record<string, { readonly trustedAt: string }>>;
};

/**
 * The folders that a person trusts, by the real path of the project root. Trust in a folder does not cover projects
 * below it.
 */
export interface TrustStore {
  /** Faults of the file, one line each; with a fault, no folder in it is trusted. */
  readonly warnings: readonly string[];
  isTrusted(projectRoot: string): boolean;
  /**
   * Trusts a folder permanently. Never throws.
   * @returns one line when it could not be stored; the folder is then trusted for this session only.
   */
  trust(projectRoot: string): Promise<string | undefined>;
}

export type TrustStoreOptions = {
  /** `$HOME`: neither this folder nor one above it is ever stored. */
  readonly home?: string;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
};

type Folders = ReadonlyMap<string, string>;

/**
 * Opens the list of trusted folders. A file that is missing, invalid or writable by other users trusts nothing.
 * @param file Absolute; its folder is created at the first write.
 */
export async function createTrustStore(file: string, options: TrustStoreOptions = {}): Promise<TrustStore> {
  const { home, now = Date.now } = options;
  const warnings: string[] = [];
  const ofSession = new Set<string>();
  let folders: Folders = new Map();
  try {
    folders = await readFolders(file);
  } catch (error) {
    warnings.push(`${errorMessage(error)}: no folder is trusted. Fix or delete the file.`);
  }
  const isBroad = (root: string) => isTooBroad(root, [file, home]);
  return {
    warnings,
    isTrusted: (projectRoot) => {
      const root = realPathOrSelf(projectRoot);
      return ofSession.has(root) || (folders.has(root) && !isBroad(root));
    },
    trust: async (projectRoot) => {
      const root = realPathOrSelf(projectRoot);
      ofSession.add(root);
      if (isBroad(root)) return `${root} contains other projects: it is trusted for this session only.`;
      try {
        folders = await change(file, (known) => new Map([...known, [root, new Date(now()).toISOString()]]));
        return undefined;
      } catch (error) {
        return `${errorMessage(error)}: ${root} is trusted for this session only.`;
      }
    },
  };
}

function trustList(file: string): LockedJson<Store> {
  return { file, read: readStore, empty: { version: VERSION, folders: {} }, what: "a list of trusted folders" };
}

/** Written without zod, which would be loaded at the start of each session in a trusted folder. */
function readStore(json: unknown): Store | undefined {
  if (!isJsonObject(json) || json["version"] !== VERSION || !isJsonObject(json["folders"])) return undefined;
  const folders = Object.entries(json["folders"]).map(([root, folder]) => {
    const trustedAt = isJsonObject(folder) ? folder["trustedAt"] : undefined;
    return root.startsWith("/") && isUtcTime(trustedAt) ? ([root, { trustedAt }] as const) : undefined;
  });
  const known = folders.filter((folder) => folder !== undefined);
  return known.length < folders.length ? undefined : { version: VERSION, folders: Object.fromEntries(known) };
}

async function readFolders(file: string): Promise<Folders> {
  return foldersOf(await readLockedJson(trustList(file)));
}

async function change(file: string, edit: (folders: Folders) => Folders): Promise<Folders> {
  return foldersOf(await changeLockedJson(trustList(file), (store) => storeOf(newest(edit(foldersOf(store))))));
}

function foldersOf({ folders }: Store): Folders {
  return new Map(Object.entries(folders).map(([root, { trustedAt }]) => [root, trustedAt]));
}

function storeOf(folders: Folders): Store {
  const entries = [...folders].map(([root, trustedAt]) => [root, { trustedAt }] as const);
  return { version: VERSION, folders: Object.fromEntries(entries) };
}

function newest(folders: Folders): Folders {
  if (folders.size <= MAX_TRUSTED_FOLDERS) return folders;
  const byAge = [...folders].sort(([, a], [, b]) => (a < b ? 1 : a > b ? -1 : 0));
  return new Map(byAge.slice(0, MAX_TRUSTED_FOLDERS));
}
