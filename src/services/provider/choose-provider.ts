import { editDistance, nearestName } from "../../contracts/did-you-mean.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import type { Provider } from "../../contracts/provider.ts";
import { KNOWN_NAMES, resolveAlias } from "./catalog.ts";
import { type Endpoint, type EndpointSources, endpointNamed } from "./endpoint.ts";
import type { ModelList } from "./model-list.ts";
import { aliasOf, type ModelReference, providerOfModel, readReference } from "./model-reference.ts";
import { ALIASES } from "./model-rows.ts";
import { VENDOR_NAMES, vendorOf } from "./vendors.ts";

const OFFLINE_MODEL = "offline";
const DEFAULT_ALIAS = "default";
const ANTHROPIC = "anthropic";
const ANTHROPIC_MODEL = "ANTHROPIC_MODEL";
/** Vendors whose address variable often points to another server. */
const GATEWAYS = [ANTHROPIC, "openai"] as const;
/** Aliases that every provider may define. */
const COMMON_ALIASES: ReadonlySet<string> = new Set(["default", "fast", "best"]);

export type WantedModel = {
  /** `--model`. */
  readonly flag: string | undefined;
  /** The setting `model`. */
  readonly setting: string | undefined;
  /** True if the person has confirmed the name: a server of theirs may have a model whose name resembles the alias of a family. */
  readonly acceptsSlips?: boolean;
};

export type ProviderAccess = EndpointSources & {
  /** The names in the setting `models`. */
  readonly models?: readonly string[];
  /** Asks an endpoint for its models; absent if none may be asked. */
  readonly askModels?: (endpoint: Endpoint) => Promise<ModelList>;
  /** Providers of extensions, by name. */
  readonly ownProviders?: ReadonlyMap<string, Provider> | undefined;
};

/** `model` is the id in requests. `fallback`: the offline engine was not chosen, but there is no key. */
export type ProviderChoice =
  | { readonly provider: string; readonly model: string; readonly fallback: false; readonly made: Provider }
  | { readonly provider: typeof OFFLINE_MODEL; readonly model: typeof OFFLINE_MODEL; readonly fallback: boolean }
  | { readonly provider: string; readonly model: string; readonly fallback: false; readonly endpoint: Endpoint };

/**
 * Chooses the provider. The model is `--model`, else the setting, else ANTHROPIC_MODEL, else `default`.
 *
 * The provider is the model's prefix (`openai/gpt-6-sol`, `ollama:qwen3`), the endpoint of which the settings name the model, the vendor whose
 * names have this form, or, if that gives no access, the person's own endpoint that lists the model. Any other name without a prefix goes to Anthropic if the settings know it or ANTHROPIC_MODEL says it, or to the server at ANTHROPIC_BASE_URL. Without a model, the first provider
 * with access is chosen: Anthropic, the vendors, the person's own endpoints, which are asked for their models; without any, the offline engine.
 * @throws {UserFacingError} (exit 2) a named model has no key, its provider is unknown, nobody is known to have it, an address is unusable,
 * or no model is named and the person's own endpoint lists none.
 */
export async function chooseProvider(wanted: WantedModel, access: ProviderAccess): Promise<ProviderChoice> {
  const { flag, setting, acceptsSlips = false } = wanted;
  const named = [
    { model: filled(flag), by: undefined },
    { model: filled(setting), by: 'the setting "model"' },
    { model: filled(access.environment[ANTHROPIC_MODEL]), by: ANTHROPIC_MODEL },
  ].find(({ model }) => model !== undefined);
  if (named?.model === undefined) return (await firstOpen(access, DEFAULT_ALIAS)) ?? offline(true);
  if (named.model.toLowerCase() === OFFLINE_MODEL) return offline(false);
  return chooseNamed(access, { model: named.model, by: named.by, acceptsSlips });
}

function offline(fallback: boolean): ProviderChoice {
  return { provider: OFFLINE_MODEL, model: OFFLINE_MODEL, fallback };
}

/** `by`: the source of a name that was not typed on the command line. */
type Named = { readonly model: string; readonly by: string | undefined; readonly acceptsSlips: boolean };

function quoted({ model, by }: Named): string {
  return by === undefined ? `"${model}"` : `"${model}" (from ${by})`;
}

async function chooseNamed(access: ProviderAccess, named: Named): Promise<ProviderChoice> {
  const own = ownChoice(access, named.model.trim());
  if (own) return own;
  const reference = await referenceOf(access, named.model);
  if (reference.provider !== undefined) {
    return served(await openEndpoint(access, reference.provider, named), reference.model);
  }
  if (COMMON_ALIASES.has(reference.model.toLowerCase())) {
    const choice = await firstOpen(access, reference.model);
    if (choice) return choice;
  }
  const provider = providerOfModel(resolveAlias(reference.model), access.providers ?? {});
  if (provider === undefined) await assertNoUnknownPrefix(access, named);
  const isUnknown = provider === undefined && !isExpected(access, named);
  const endpoint = await endpointNamed(provider ?? ANTHROPIC, access);
  if (endpoint.isOpen && !isUnknown) return served(withCheckedRegion(endpoint), reference.model);
  const { ownModels, unknownModel } = await import("./own-models.ts");
  const { listed, names } = await ownModels(access, reference.model);
  if (listed) return served(listed.endpoint, listed.model);
  if (isUnknown) throw unknownModel(access, { name: named.model.trim(), shown: quoted(named), names });
  const gateway = await openGateway(access);
  if (gateway) return served(gateway, reference.model);
  throw provider === undefined ? noProvider(named) : noKey(endpoint, named);
}

/** The provider of an extension that a model's prefix names; providers of Quoll and of the settings take precedence. */
function ownChoice({ ownProviders, providers = {} }: ProviderAccess, name: string): ProviderChoice | undefined {
  const prefix = prefixOf(name);
  const made = prefix === undefined || Object.hasOwn(providers, prefix) ? undefined : ownProviders?.get(prefix);
  if (!made || prefix === undefined) return undefined;
  return { provider: prefix, model: name.slice(prefix.length + 1).trim(), fallback: false, made };
}

/**
 * A saved endpoint (`quoll auth login`) is treated like an endpoint in the settings. The saved names are read only if
 * nothing else matches.
 */
async function referenceOf({ providers = {}, credentials }: ProviderAccess, model: string): Promise<ModelReference> {
  const reference = readReference(model, providers);
  const front = prefixOf(model)?.toLowerCase();
  if (reference.provider !== undefined || front === undefined) return reference;
  const saved = (await credentials?.list())?.includes(front);
  return saved
    ? {
        provider: front,
        model: model
          .trim()
          .slice(front.length + 1)
          .trim(),
      }
    : reference;
}

/** The text before the first `/` or `:`. */
function prefixOf(model: string): string | undefined {
  return /^[^/:]+(?=[/:].)/.exec(model.trim())?.[0];
}

/**
 * Rejects a model with an unknown provider prefix, without a request. Two kinds of names contain such a sign legitimately: the id in
 * ANTHROPIC_MODEL, which belongs to ANTHROPIC_BASE_URL, and a name with a tag (`qwen3:8b`) for an address that the user set.
 * @throws {UserFacingError} (exit 2)
 */
async function assertNoUnknownPrefix(access: ProviderAccess, named: Named): Promise<void> {
  const prefix = prefixOf(named.model);
  if (prefix === undefined) return;
  const isAnthropics = named.by === ANTHROPIC_MODEL && isGateway(access, ANTHROPIC);
  const hasTag = !named.model.includes("/") && GATEWAYS.some((name) => isGateway(access, name));
  if (isAnthropics || hasTag) return;
  const known = await knownProviders(access);
  const nearest = nearestName(prefix, known);
  const hint = nearest === undefined ? "" : ` Did you mean ${nearest}${named.model.trim().slice(prefix.length)}?`;
  throw new UserFacingError(
    `The model ${quoted(named)} names an unknown provider "${prefix}".${hint} Known: ${known.join(", ")}. ` +
      `If "${prefix}" is part of the model's name, add the provider as a prefix, such as openrouter/${named.model.trim()}; ` +
      `"quoll auth login ${prefix} --endpoint <url>" adds a provider.`,
    2,
  );
}

/** Names that differ by at most this many letters are typing errors, even if a server may have any model. */
function maxSlips({ length }: string): number {
  return length > 5 ? 2 : 1;
}

/**
 * True for an alias, a known model, and a name that a server of the user may have. A server at an address that the user set may have any
 * model, so there only a name that resembles an alias is unexpected.
 */
function isExpected(access: ProviderAccess, named: Named): boolean {
  const name = named.model.trim().toLowerCase();
  const known = [OFFLINE_MODEL, ...KNOWN_NAMES, ...(access.models ?? [])];
  if (known.some((one) => one.toLowerCase() === name) || prefixOf(name) !== undefined) return true;
  const isAnyones = named.by === ANTHROPIC_MODEL || GATEWAYS.some((gateway) => isGateway(access, gateway));
  const names = named.acceptsSlips ? COMMON_ALIASES : Object.keys(ALIASES);
  return isAnyones && ![OFFLINE_MODEL, ...names].some((one) => editDistance(one, name) <= maxSlips(one));
}

async function knownProviders({
  providers = {},
  credentials,
  ownProviders,
}: ProviderAccess): Promise<readonly string[]> {
  const saved = await credentials?.list();
  return [...new Set([...VENDOR_NAMES, ...Object.keys(providers), ...(ownProviders?.keys() ?? []), ...(saved ?? [])])];
}

function isGateway({ environment }: ProviderAccess, name: string): boolean {
  const variable = vendorOf(name)?.baseUrlEnv;
  return variable !== undefined && filled(environment[variable]) !== undefined;
}

/** An address that the user set may serve any model. */
async function openGateway(access: ProviderAccess): Promise<Endpoint | undefined> {
  for (const name of GATEWAYS) {
    if (!isGateway(access, name)) continue;
    const endpoint = await endpointNamed(name, access);
    if (endpoint.isOpen) return endpoint;
  }
  return undefined;
}

/** The first provider with access that has a model for this alias, Anthropic first. */
async function firstOpen(access: ProviderAccess, alias: string): Promise<ProviderChoice | undefined> {
  const anthropic = await endpointNamed(ANTHROPIC, access);
  if (anthropic.isOpen) return served(anthropic, alias);
  const { firstWithAccess } = await import("./first-with-access.ts");
  const found = await firstWithAccess(access, alias);
  return found && served(found.endpoint, found.model);
}

function served(endpoint: Endpoint, model: string): ProviderChoice {
  const { name, type } = endpoint;
  const isClaude = type === "anthropic" || type === "bedrock" || type === "vertex";
  return {
    provider: name,
    model: isClaude ? resolveAlias(model) : aliasOf(name, model),
    fallback: false,
    endpoint,
  };
}

async function openEndpoint(access: ProviderAccess, name: string, named: Named): Promise<Endpoint> {
  const endpoint = await endpointNamed(name, access);
  if (!endpoint.isOpen) throw noKey(endpoint, named);
  return withCheckedRegion(endpoint);
}

/**
 * Region names, such as `us-gov-west-1` and `europe-west4`. Any other text would become part of an unknown host name.
 */
const REGION_FORMS = {
  bedrock: { form: /^[a-z]{2,4}(-[a-z]+)+-\d{1,2}$/, example: "us-east-1" },
  vertex: { form: /^(global|us|eu|[a-z]+-[a-z]+\d{1,2})$/, example: "us-east5 or global" },
} as const;

/** @throws {UserFacingError} (exit 2) Bedrock has no region, Vertex has no project, or a region name is invalid. */
function withCheckedRegion(endpoint: Endpoint): Endpoint {
  if (endpoint.type === "bedrock" && endpoint.region === undefined) {
    throw new UserFacingError("Bedrock needs a region: set AWS_REGION, such as us-east-1.", 2);
  }
  if (endpoint.type === "vertex" && endpoint.project === undefined) {
    throw new UserFacingError("Vertex needs a project: set ANTHROPIC_VERTEX_PROJECT_ID.", 2);
  }
  const { type, region, regionFrom } = endpoint;
  if ((type === "bedrock" || type === "vertex") && region !== undefined && endpoint.baseUrl === undefined) {
    const { form, example } = REGION_FORMS[type];
    if (!form.test(region))
      throw new UserFacingError(
        `${regionFrom} is "${region.slice(0, 60)}", which is not a region: use one like ${example}.`,
        2,
      );
  }
  return endpoint;
}

function noKey({ name, keyFrom }: Endpoint, named: Named): UserFacingError {
  return new UserFacingError(
    `There is no key for the model ${quoted(named)}: set ${keyFrom} or run "quoll auth login ${name}"; the model "${OFFLINE_MODEL}" needs no key.`,
    2,
  );
}

function noProvider(named: Named): UserFacingError {
  return new UserFacingError(
    `The model ${quoted(named)} names no provider: use provider/model, such as openrouter/${named.model}, or set ANTHROPIC_API_KEY; the model "${OFFLINE_MODEL}" needs no key.`,
    2,
  );
}

function filled(value: string | undefined): string | undefined {
  return value?.trim() || undefined;
}
