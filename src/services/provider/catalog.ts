import { totalInputTokens, type Usage } from "../../contracts/message.ts";
import type { ModelCatalog, ModelLimits } from "../../contracts/ports.ts";
import type { ModelCapabilities } from "../../contracts/provider.ts";
import type { ModelSettings, ProviderSettings } from "../../contracts/provider-settings.ts";
import { bareName } from "./model-reference.ts";
import { ALIASES, MODEL_IDS, type PriceRow, rowOf, UNKNOWN_MODEL, withDefaults } from "./model-rows.ts";
import type { PackagedModel } from "./price-package.ts";
import { VENDOR_NAMES, vendorOf, vendorOfModel } from "./vendors.ts";

const TOKENS_PER_PRICE = 1_000_000;
/** Source: Anthropic's price list, "Prompt caching": writing a one-hour cache costs twice the input price. */
const LONG_CACHE_FACTOR = 2;
const DEFAULT_PRICES = "anthropic";
/** Number of models that a session uses in turn. */
const MAX_LOADED = 200;
/** Default for a model that only the price package knows, because the package has no output limits. */
const OUTPUT_SHARE = 4;

export type CatalogOptions = {
  /** The setting `models`: overrides for the tables. */
  readonly models?: Readonly<Record<string, ModelSettings>> | undefined;
  /** The setting `providers`, for lists. */
  readonly providers?: Readonly<Record<string, Pick<ProviderSettings, "models" | "cacheTtl">>> | undefined;
};

/** A catalog that can query model servers. */
export type AskingCatalog = Required<ModelCatalog> & Pick<Catalog, "askFor">;

/** The limits that a server stated when the model was chosen. */
type Loaded = { readonly provider: string | undefined; readonly packaged: PackagedModel | undefined };

/**
 * The known facts about models, in this order: the setting `models`, models.json (aliases, capabilities, prices that the price package
 * lacks), families by name, the price package.
 */
export function modelCatalog(options: CatalogOptions = {}): AskingCatalog {
  return new Catalog(options);
}

export function resolveAlias(name: string): string {
  const folded = name.trim().toLowerCase();
  return Object.hasOwn(ALIASES, folded) ? (ALIASES[folded] ?? name) : name.trim();
}

/** Every name of a model that the tables have: aliases and ids. */
export const KNOWN_NAMES: readonly string[] = [...Object.keys(ALIASES), ...MODEL_IDS];

class Catalog implements Required<ModelCatalog> {
  readonly #models: Readonly<Record<string, ModelSettings>>;
  readonly #listed: readonly string[];
  /** Providers whose cached prefixes live for an hour. */
  readonly #longCaches: ReadonlySet<string>;
  readonly #loaded = new Map<string, Loaded>();
  /** Answers of servers about models. */
  readonly #reported = new Map<string, ModelLimits>();
  /** Open queries to servers. */
  readonly #asked = new Map<string, Promise<void>>();

  constructor({ models = {}, providers = {} }: CatalogOptions) {
    this.#models = models;
    const vendors = VENDOR_NAMES.flatMap((name) => {
      const models = Object.values(vendorOf(name)?.aliases ?? {});
      return [...new Set(models)].map((model) => `${name}/${model}`);
    });
    const own = Object.entries(providers).flatMap(([name, { models: ids = [] }]) => ids.map((id) => `${name}/${id}`));
    this.#listed = [...vendors, ...own];
    this.#longCaches = new Set(Object.keys(providers).filter((name) => providers[name]?.cacheTtl === "1h"));
  }

  resolve(name: string): string {
    return resolveAlias(name);
  }

  capabilities(model: string): ModelCapabilities {
    const row = rowOf(resolveAlias(model));
    const packaged = this.#loaded.get(model)?.packaged;
    const own = this.#own(model);
    const { price: _, ...numbers } = own ?? {};
    const told = this.#reported.get(model);
    const base = toldBy(told, withDefaults(row ?? guessed(packaged)));
    const given = Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== undefined));
    return {
      ...base,
      // A model without images cannot read pages either.
      ...(own?.images === false && { documents: false }),
      ...given,
      known: row !== undefined || (own?.contextWindow ?? told?.contextWindow ?? packaged?.contextWindow) !== undefined,
    };
  }

  async cost(model: string, usage: Usage): Promise<number | undefined> {
    const { webSearches = 0, ...tokens } = usage;
    if (webSearches === 0) return this.#tokenCost(model, usage);
    const { searchCost, isService } = await import("./search/search-price.ts");
    const searches = searchCost(model, this.#loaded.get(model)?.provider, webSearches);
    const rest = isService(model) ? 0 : await this.#tokenCost(model, tokens);
    return searches === undefined || rest === undefined ? undefined : searches + rest;
  }

  async #tokenCost(model: string, usage: Usage): Promise<number | undefined> {
    const provider = this.#loaded.get(model)?.provider;
    const isLong = provider !== undefined && this.#longCaches.has(provider);
    if (!isLong || usage.cacheWriteTokens === 0) return this.#usualCost(model, usage);
    const inputTokens = usage.inputTokens + usage.cacheWriteTokens * LONG_CACHE_FACTOR;
    return this.#usualCost(model, { ...usage, inputTokens, cacheWriteTokens: 0 });
  }

  async #usualCost(model: string, usage: Usage): Promise<number | undefined> {
    const price = this.#own(model)?.price;
    if (price) return priceByRows([ownRow(price)], usage);
    const provider = this.#loaded.get(model)?.provider;
    if (provider !== undefined && vendorOf(provider)?.isLocal) return 0;
    const name = resolveAlias(model);
    const rows = rowOf(name)?.price;
    if (rows) return priceByRows(rows, usage);
    const { packagedPrice } = await import("./price-package.ts");
    return packagedPrice(bareName(name), pricesOf(name, provider), usage);
  }

  async load(model: string, provider?: string): Promise<void> {
    const name = resolveAlias(model);
    // The tables come before the package, because they cost no loading.
    this.#remember(model, { provider, packaged: undefined });
    const isTold = rowOf(name) !== undefined || this.#own(model)?.contextWindow !== undefined;
    const packaged = isTold ? undefined : await loadPackaged(bareName(name), pricesOf(name, provider));
    this.#remember(model, { provider, packaged });
  }

  learn(model: string, { contextWindow, maxOutputTokens, isLoaded }: ModelLimits): void {
    const { isLoaded: _, ...earlier } = this.#reported.get(model) ?? {};
    const limits = {
      ...earlier,
      ...(isLoaded && { isLoaded }),
      ...(contextWindow !== undefined && { contextWindow }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    };
    keepNewest(this.#reported, model, limits);
  }

  /** @param ask Not called if the settings give the context window. */
  askFor(model: string, ask: () => Promise<ModelLimits | undefined>): void {
    if (this.#own(model)?.contextWindow !== undefined) return;
    const learned = ask().then(
      (limits) => limits && this.learn(model, limits),
      () => undefined,
    );
    keepNewest(this.#asked, model, learned);
  }

  async ready(model: string): Promise<void> {
    await this.#asked.get(model);
  }

  list(): readonly string[] {
    return [...Object.keys(ALIASES), ...MODEL_IDS, ...this.#listed];
  }

  #remember(model: string, loaded: Loaded): void {
    // The statements and signs of one server hold for no other server.
    const before = this.#loaded.get(model);
    if (before && before.provider !== loaded.provider) this.#reported.delete(model);
    keepNewest(this.#loaded, model, loaded);
  }

  /** The user's settings for a model, by its id alone or with the provider as a prefix. */
  #own(model: string): ModelSettings | undefined {
    const provider = this.#loaded.get(model)?.provider;
    const name = [model, `${provider}/${model}`].find((key) => Object.hasOwn(this.#models, key));
    return name === undefined ? undefined : this.#models[name];
  }
}

function keepNewest<Value>(map: Map<string, Value>, model: string, value: Value): void {
  const [oldest] = map.keys();
  if (map.size >= MAX_LOADED && oldest !== undefined && !map.has(model)) map.delete(oldest);
  map.set(model, value);
}

/** Scales the answer limit down if the window is smaller than in the table. */
function toldBy(
  told: ModelLimits | undefined,
  base: Omit<ModelCapabilities, "known">,
): Omit<ModelCapabilities, "known"> {
  const { contextWindow = base.contextWindow, maxOutputTokens } = told ?? {};
  const share = contextWindow < base.contextWindow ? Math.floor(contextWindow / OUTPUT_SHARE) : base.maxOutputTokens;
  return {
    ...base,
    contextWindow,
    maxOutputTokens: maxOutputTokens ?? Math.min(base.maxOutputTokens, share),
    ...(told?.isLoaded && { isLoadedWindow: true }),
  };
}

async function loadPackaged(name: string, provider: string): Promise<PackagedModel | undefined> {
  const { packagedModel } = await import("./price-package.ts");
  return packagedModel(name, provider);
}

/** The price list to use: the serving provider's, if the package knows this provider; otherwise the maker's. */
function pricesOf(model: string, provider: string | undefined): string {
  const serving = provider === undefined ? undefined : vendorOf(provider)?.prices;
  return serving ?? vendorOf(vendorOfModel(bareName(model)) ?? "")?.prices ?? DEFAULT_PRICES;
}

function guessed(packaged: PackagedModel | undefined) {
  const contextWindow = packaged?.contextWindow;
  if (contextWindow === undefined) return UNKNOWN_MODEL;
  const maxOutputTokens = Math.min(UNKNOWN_MODEL.maxOutputTokens, Math.floor(contextWindow / OUTPUT_SHARE));
  return { ...UNKNOWN_MODEL, contextWindow, maxOutputTokens };
}

/** Prices that the settings leave out equal the price of fresh input. */
function ownRow({
  input,
  output,
  cacheRead = input,
  cacheWrite = input,
}: NonNullable<ModelSettings["price"]>): PriceRow {
  return { abovePromptTokens: 0, input, output, cacheRead, cacheWrite };
}

function priceByRows(rows: readonly PriceRow[], usage: Usage): number | undefined {
  const promptTokens = totalInputTokens(usage);
  const row = rows.findLast(({ abovePromptTokens }) => promptTokens > abovePromptTokens || abovePromptTokens === 0);
  if (!row) return undefined;
  const sum =
    usage.inputTokens * row.input +
    usage.outputTokens * row.output +
    usage.cacheReadTokens * row.cacheRead +
    usage.cacheWriteTokens * row.cacheWrite;
  return sum / TOKENS_PER_PRICE;
}
