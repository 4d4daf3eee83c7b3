import { join } from "node:path";
import { oneLine } from "@quoll/terminal-text/one-line";
import { z } from "zod";
import { UserFacingError } from "../../contracts/errors.ts";
import { isJsonObject } from "../../contracts/message.ts";
import { INLINE_MARKETPLACE } from "../../contracts/plugin.ts";
import { isInside, realPathOrSelf } from "../../platform/paths.ts";
import { readSmallText } from "../../platform/private-file.ts";
import { type Manifest, manifestSchema, PLUGIN_NAME, parseObject } from "./manifest.ts";
import { entryOrigin, type PluginOrigin } from "./plugin-origin.ts";

export const MARKETPLACE_FILE = ".claude-plugin/marketplace.json";
/** Plugins that come from no marketplace. */
export const FOLDER_MARKETPLACE = "folder";
export const GIT_MARKETPLACE = "git";
const RESERVED: readonly string[] = [INLINE_MARKETPLACE, FOLDER_MARKETPLACE, GIT_MARKETPLACE];
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_DESCRIPTION_COLUMNS = 300;

/** A plugin that a marketplace offers. */
export type MarketplaceEntry = {
  readonly name: string;
  readonly description?: string;
  readonly version?: string;
  /** A phrase if Quoll can't install the plugin. */
  readonly origin: PluginOrigin | string;
  readonly fields: Manifest;
  /** True for `strict: false`. */
  readonly isWhole: boolean;
};

export type Marketplace = { readonly name: string; readonly entries: readonly MarketplaceEntry[] };

const marketplaceSchema = z.looseObject({
  name: z.string().regex(PLUGIN_NAME),
  plugins: z.array(z.unknown()),
  metadata: z.looseObject({ pluginRoot: z.string().optional() }).optional().catch(undefined),
});

/**
 * Reads the list of a marketplace. An entry that can't be read is left out.
 * @param root The marketplace's folder; absolute, links resolved.
 * @throws {UserFacingError} if there is no list, or it is malformed.
 */
export async function readMarketplace(root: string): Promise<Marketplace> {
  const fail = (why: string, cause?: unknown): never => {
    throw new UserFacingError(`${root} is not a marketplace: ${why}.`, 1, { cause });
  };
  let content: unknown;
  try {
    const file = join(root, MARKETPLACE_FILE);
    if (!isInside(root, realPathOrSelf(file))) return fail(`${MARKETPLACE_FILE} leads out of it`);
    const text = await readSmallText(file, MAX_FILE_BYTES);
    content = text === undefined ? fail(`it has no ${MARKETPLACE_FILE}`) : parseObject(text);
  } catch (error) {
    if (error instanceof UserFacingError) throw error;
    return fail(`${MARKETPLACE_FILE}: ${error instanceof Error ? error.message : String(error)}`, error);
  }
  const parsed = marketplaceSchema.safeParse(content);
  if (!parsed.success)
    return fail(`${MARKETPLACE_FILE} needs \`name\` (letters, digits, ".", "_", "-") and \`plugins\``);
  const { name, plugins, metadata } = parsed.data;
  if (RESERVED.includes(name)) return fail(`the name ${name} is reserved`);
  return { name, entries: plugins.flatMap((entry) => entryOf(entry, root, metadata?.pluginRoot) ?? []) };
}

function entryOf(value: unknown, root: string, pluginRoot: string | undefined): MarketplaceEntry | undefined {
  const parsed = manifestSchema.safeParse(value);
  if (!parsed.success || !isJsonObject(value)) return undefined;
  const { source, strict } = value;
  const fields = parsed.data;
  const { name, description, version } = fields;
  if (name === undefined) return undefined;
  return {
    name,
    ...(description !== undefined && { description: oneLine(description, MAX_DESCRIPTION_COLUMNS) }),
    ...(version !== undefined && { version: oneLine(version, MAX_DESCRIPTION_COLUMNS) }),
    origin: entryOrigin(source, root, pluginRoot),
    fields,
    isWhole: strict === false,
  };
}
