import { join, resolve } from "node:path";
import { errorCode, UserFacingError } from "../../contracts/errors.ts";
import type { Plugin } from "../../contracts/plugin.ts";
import type { Directories } from "../../platform/directories.ts";
import type { Environment } from "../../platform/env.ts";
import { removeTree } from "../../platform/files/remove-tree.ts";
import { isInside, realFolder } from "../../platform/paths.ts";
import { makePrivateFolder } from "../../platform/private-file.ts";
import { hashTree } from "../../services/plugins/io/copy-tree.ts";
import { fetchRepository } from "../../services/plugins/io/fetch-repository.ts";
import { originText, type PluginOrigin } from "../../services/plugins/plugin-origin.ts";
import { type PluginSource, readPlugin } from "../../services/plugins/read-plugin.ts";
import { dataFolder, pluginsFolder } from "./plugin-folders.ts";

export type FetchEnvironment = { readonly own: Directories; readonly env: Environment };

/** The files of a plugin's origin; disposing removes fetched files. */
export type FetchedFolder = AsyncDisposable & {
  /** Absolute, links resolved. */
  readonly root: string;
  readonly commit?: string;
};

/** A copy of a plugin's files that nobody has approved yet. */
export type FetchedPlugin = AsyncDisposable & {
  readonly plugin: Plugin;
  /** The copy; absolute. */
  readonly folder: string;
  readonly tree: string;
  readonly commit?: string;
};

/**
 * Makes the files of an origin readable: a folder is used directly, a repository is fetched at one commit.
 * @throws {UserFacingError} the folder does not exist, or git failed.
 */
export async function fetchFolder(
  origin: PluginOrigin,
  environment: FetchEnvironment,
  signal: AbortSignal,
): Promise<FetchedFolder> {
  if (origin.kind === "folder") return { root: folderAt(origin.path), [Symbol.asyncDispose]: async () => undefined };
  const into = temporaryFolder(environment);
  const end = () => removeTree(into);
  try {
    makePrivateFolder(into);
    const commit = await fetchRepository(origin, { folder: into, environment: environment.env }, signal);
    const top = realFolder(into);
    const root = folderAt(resolve(top, origin.path ?? "."));
    if (!isInside(top, root)) throw new UserFacingError(`${originText(origin)} leads out of the repository.`);
    return { root, commit, [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
}

type Wanted = Pick<PluginSource, "entry" | "marketplace"> & {
  readonly origin: PluginOrigin;
  readonly commit?: string | undefined;
};

/**
 * Copies a plugin's files into a temporary folder and reads them.
 * @throws {UserFacingError} the files can't be fetched, are too large, or are not a plugin.
 */
export async function fetchPlugin(
  wanted: Wanted,
  environment: FetchEnvironment,
  signal: AbortSignal,
): Promise<FetchedPlugin> {
  await using fetched = await fetchFolder(wanted.origin, environment, signal);
  const copy = temporaryFolder(environment);
  const end = () => removeTree(copy);
  try {
    const tree = await hashTree(fetched.root, copy);
    const { entry, marketplace } = wanted;
    const read = { root: realFolder(copy), marketplace, dataFolder: dataFolder(environment.own) };
    // A plugin without a manifest is named after its folder, but the copy has another folder name.
    const plugin = readPlugin({
      ...read,
      ...(entry && { entry }),
      folderName: folderNameOf(wanted.origin, fetched.root),
    });
    const { commit = wanted.commit } = fetched;
    return { plugin, folder: copy, tree, ...(commit !== undefined && { commit }), [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
}

function folderNameOf(origin: PluginOrigin, root: string): string {
  const path =
    origin.kind === "git" && origin.path === undefined ? origin.url.replace(/\/+$/, "").replace(/\.git$/, "") : root;
  return path.split(/[/:]/).at(-1) ?? "";
}

function temporaryFolder({ own }: FetchEnvironment): string {
  return join(pluginsFolder(own), "temporary", crypto.randomUUID());
}

function folderAt(path: string): string {
  try {
    return realFolder(path);
  } catch (error) {
    const why = errorCode(error) === "ENOENT" ? "There is no folder" : "This is not a folder that can be read:";
    throw new UserFacingError(`${why} ${path}.`, 1, { cause: error });
  }
}
