import { join } from "node:path";
import { nearestName } from "../../contracts/did-you-mean.ts";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import type { ListedMarketplace, OfferedPlugin } from "../../contracts/plugin.ts";
import { removeTree, replaceTree } from "../../platform/files/remove-tree.ts";
import {
  FOLDER_MARKETPLACE,
  GIT_MARKETPLACE,
  type Marketplace,
  type MarketplaceEntry,
  readMarketplace,
} from "../../services/plugins/marketplace.ts";
import { originText, type PluginOrigin, typedOrigin } from "../../services/plugins/plugin-origin.ts";
import { type FetchEnvironment, fetchFolder } from "./fetch-plugin.ts";
import { pluginsFolder } from "./plugin-folders.ts";
import { changePluginStore, type KnownMarketplace, readPluginStore } from "./plugin-store.ts";

/** A plugin to fetch, and the marketplace that it belongs to. */
export type WantedPlugin = {
  readonly marketplace: string;
  readonly origin: PluginOrigin;
  /** The same for people. */
  readonly source: string;
  /** The commit of the marketplace that holds the plugin's files. */
  readonly commit?: string | undefined;
  readonly entry?: Pick<MarketplaceEntry, "fields" | "isWhole">;
};

export type AddedMarketplace = { readonly marketplace: Marketplace; readonly isNew: boolean };

/**
 * Adds a marketplace, or fetches it again. Adding a marketplace installs none of its plugins.
 * @throws {UserFacingError} the marketplace can't be fetched, has no list, or its name is already used.
 */
export async function addMarketplace(
  origin: PluginOrigin,
  environment: FetchEnvironment,
  signal: AbortSignal,
): Promise<AddedMarketplace> {
  await using fetched = await fetchFolder(origin, environment, signal);
  const marketplace = await readMarketplace(fetched.root);
  const { name } = marketplace;
  const { marketplaces } = await readPluginStore(environment.own);
  const before = marketplaces.find((one) => one.name === name);
  if (before && originText(before.origin) !== originText(origin))
    throw new UserFacingError(
      `There is a marketplace ${name} already, from ${originText(before.origin)}. Remove it first: quoll plugin marketplace remove ${name}`,
    );
  const folder = origin.kind === "folder" ? fetched.root : join(pluginsFolder(environment.own), "marketplaces", name);
  if (origin.kind === "git") await replaceTree(fetched.root, folder);
  const { commit } = fetched;
  const known: KnownMarketplace = { name, origin, folder, ...(commit !== undefined && { commit }) };
  await changePluginStore(environment.own, (store) => ({
    ...store,
    marketplaces: [...store.marketplaces.filter((one) => one.name !== name), known],
  }));
  return { marketplace, isNew: before === undefined };
}

/** The known marketplaces with their plugins; one that can't be read has a problem in place of plugins. */
export async function listedMarketplaces(own: FetchEnvironment["own"]): Promise<readonly ListedMarketplace[]> {
  const { marketplaces } = await readPluginStore(own);
  return Promise.all(
    marketplaces.map(async ({ name, origin, folder }): Promise<ListedMarketplace> => {
      const about = { name, origin: originText(origin) };
      try {
        return { ...about, plugins: (await readMarketplace(folder)).entries.map(offered) };
      } catch (error) {
        return { ...about, plugins: [], problem: errorMessage(error) };
      }
    }),
  );
}

function offered({ name, description, version, origin }: MarketplaceEntry): OfferedPlugin {
  return { name, description, version, ...(typeof origin === "string" && { problem: origin }) };
}

/** @throws {UserFacingError} if there is no such marketplace. */
export async function removeMarketplace(name: string, environment: FetchEnvironment): Promise<void> {
  const known = await knownMarketplace(name, environment);
  await changePluginStore(environment.own, (store) => ({
    ...store,
    marketplaces: store.marketplaces.filter((one) => one.name !== name),
  }));
  if (known.origin.kind === "git") await removeTree(known.folder);
}

/** @throws {UserFacingError} if there is no such marketplace. */
export async function knownMarketplace(name: string, environment: FetchEnvironment): Promise<KnownMarketplace> {
  const { marketplaces } = await readPluginStore(environment.own);
  const known = marketplaces.find((one) => one.name === name);
  if (known) return known;
  const names = marketplaces.map((one) => one.name);
  throw new UserFacingError(
    `There is no marketplace ${name}${hint(name, names, "quoll plugin marketplace add adds one")}`,
  );
}

const NAMED = /^([A-Za-z0-9][\w.-]*)(?:@([A-Za-z0-9][\w.-]*))?$/;

/**
 * Finds the plugin that a person named: `name`, `name@marketplace`, a folder, or the address of a repository.
 * @throws {UserFacingError} if there is no such plugin, or more than one.
 */
export async function findWanted(typed: string, environment: FetchEnvironment, cwd: string): Promise<WantedPlugin> {
  const [, name, marketplace] = NAMED.exec(typed) ?? [];
  if (name === undefined) {
    const origin = typedOrigin(typed, { cwd, home: environment.own.home });
    return {
      origin,
      source: originText(origin),
      marketplace: origin.kind === "folder" ? FOLDER_MARKETPLACE : GIT_MARKETPLACE,
    };
  }
  const { marketplaces } = await readPluginStore(environment.own);
  const searched = marketplace === undefined ? marketplaces : [await knownMarketplace(marketplace, environment)];
  const offers = await Promise.all(
    searched.map(async (known) => {
      const { entries } = await readMarketplace(known.folder);
      return entries.map((entry) => ({ entry, marketplace: known.name, known }));
    }),
  );
  const found = offers.flat().filter(({ entry }) => entry.name === name);
  const [first] = found;
  if (!first) {
    const names = offers.flat().map(({ entry }) => entry.name);
    const where = marketplace === undefined ? "" : ` in the marketplace ${marketplace}`;
    throw new UserFacingError(
      `There is no plugin ${name}${where}${hint(name, names, "for a folder, type ./ before its name")}`,
    );
  }
  if (found.length > 1) {
    const all = found.map((one) => `${name}@${one.marketplace}`).join(" or ");
    throw new UserFacingError(`More than one marketplace has a plugin ${name}: type ${all}.`);
  }
  return wantedOf(first.entry, first.known);
}

/** @throws {UserFacingError} Quoll can't install from there. */
function wantedOf({ name, origin, fields, isWhole }: MarketplaceEntry, known: KnownMarketplace): WantedPlugin {
  const marketplace = known.name;
  if (typeof origin === "string")
    throw new UserFacingError(`The plugin ${name}@${marketplace} can't be installed: ${origin}.`);
  const entry = { fields, isWhole };
  if (origin.kind === "git") return { marketplace, origin, entry, source: originText(origin) };
  const source = `the marketplace ${marketplace} (${originText(known.origin)})`;
  return { marketplace, origin, entry, source, commit: known.commit };
}

function hint(name: string, names: readonly string[], otherwise: string): string {
  const nearest = nearestName(name, names);
  return nearest === undefined ? `: ${otherwise}.` : `: did you mean ${nearest}?`;
}
