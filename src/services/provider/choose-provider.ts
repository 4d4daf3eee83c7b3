import { UserFacingError } from "../../contracts/errors.ts";
import { resolveAlias } from "./catalog.ts";
import { type Credentials, type Endpoint, type Environment, readEndpoint } from "./endpoint.ts";
import { aliasOf, nearestProviders, type Providers, providerOfModel, readReference } from "./model-reference.ts";
import { VENDOR_NAMES, vendorOf } from "./vendors.ts";

const OFFLINE_MODEL = "offline";
const DEFAULT_ALIAS = "default";
const ANTHROPIC = "anthropic";
/** What every provider may have a model for. */
const COMMON_ALIASES: ReadonlySet<string> = new Set(["default", "fast", "best"]);

export type ProviderInput = {
  /** `--model`. */
  readonly flag: string | undefined;
  /** The setting `model`. */
  readonly setting: string | undefined;
  readonly environment: Environment;
  /** The setting `providers`. */
  readonly providers?: Providers | undefined;
  readonly credentials?: Credentials | undefined;
};

/** `model` is the id that the provider is asked for. `fallback`: nobody chose offline, there is just no key. */
export type ProviderChoice =
  | { readonly provider: typeof OFFLINE_MODEL; readonly model: typeof OFFLINE_MODEL; readonly fallback: boolean }
  | { readonly provider: string; readonly model: string; readonly fallback: false; readonly endpoint: Endpoint };

/**
 * Decides who answers. The model: `--model`, else the setting, else ANTHROPIC_MODEL, else `default`.
 *
 * Its provider stands in front (`openai/gpt-6-sol`, `ollama:qwen3`), or is the one that lists it, or whose names look like
 * that; any other name goes to Anthropic, or to what ANTHROPIC_BASE_URL stands for. With no model named, the first provider
 * with a key answers, Anthropic before all others; with no key at all, the offline engine.
 * @throws {UserFacingError} (exit 2) a model is named and nothing gives access to it, or an address is unusable.
 */
export async function chooseProvider(input: ProviderInput): Promise<ProviderChoice> {
  const { flag, setting, environment } = input;
  const named = [
    { model: filled(flag), by: undefined },
    { model: filled(setting), by: 'the setting "model"' },
    { model: filled(environment["ANTHROPIC_MODEL"]), by: "ANTHROPIC_MODEL" },
  ].find(({ model }) => model !== undefined);
  if (named?.model === undefined) return (await firstOpen(input, DEFAULT_ALIAS)) ?? offline(true);
  if (named.model.toLowerCase() === OFFLINE_MODEL) return offline(false);
  return chooseNamed(input, { model: named.model, by: named.by });
}

function offline(fallback: boolean): ProviderChoice {
  return { provider: OFFLINE_MODEL, model: OFFLINE_MODEL, fallback };
}

/** `by`: where a name stands that nobody typed just now. */
type Named = { readonly model: string; readonly by: string | undefined };

function quoted({ model, by }: Named): string {
  return by === undefined ? `"${model}"` : `"${model}" (from ${by})`;
}

async function chooseNamed(input: ProviderInput, named: Named): Promise<ProviderChoice> {
  const reference = readReference(named.model, input.providers ?? {});
  if (reference.provider !== undefined) {
    return served(await openEndpoint(input, reference.provider, named), reference.model);
  }
  if (COMMON_ALIASES.has(reference.model.toLowerCase())) {
    const choice = await firstOpen(input, reference.model);
    if (choice) return choice;
  }
  const provider = providerOfModel(resolveAlias(reference.model), input.providers ?? {});
  const endpoint = await endpointNamed(input, provider ?? ANTHROPIC);
  if (endpoint.isOpen) return served(withPlace(endpoint), reference.model);
  const gateway = await openGateway(input);
  if (gateway) return served(gateway, reference.model);
  throw provider === undefined ? noProvider(named, input.providers ?? {}) : noKey(endpoint, named);
}

/** An address that somebody set may serve anybody's models. */
async function openGateway(input: ProviderInput): Promise<Endpoint | undefined> {
  for (const name of [ANTHROPIC, "openai"]) {
    const variable = vendorOf(name)?.baseUrlEnv;
    if (variable === undefined || filled(input.environment[variable]) === undefined) continue;
    const endpoint = await endpointNamed(input, name);
    if (endpoint.isOpen) return endpoint;
  }
  return undefined;
}

/** The first provider with access that has a model of that alias. */
async function firstOpen(input: ProviderInput, alias: string): Promise<ProviderChoice | undefined> {
  const anthropic = await endpointNamed(input, ANTHROPIC);
  if (anthropic.isOpen) return served(anthropic, alias);
  for (const name of await candidates(input)) {
    const endpoint = await endpointNamed(input, name);
    const model = modelOfAlias(name, alias, input.providers);
    if (endpoint.isOpen && model !== undefined) return served(endpoint, model);
  }
  return undefined;
}

/** Looks at no stored key whose provider isn't known to have one, and at no server that may not be there. */
async function candidates({ environment, providers = {}, credentials }: ProviderInput): Promise<readonly string[]> {
  const stored = new Set(await credentials?.list());
  const hasKey = (name: string) =>
    stored.has(name) || vendorOf(name)?.keyEnv.some((variable) => filled(environment[variable]) !== undefined);
  const vendors = VENDOR_NAMES.filter((name) => name !== ANTHROPIC && hasKey(name));
  return [...vendors, ...Object.keys(providers).filter((name) => !vendors.includes(name))];
}

function modelOfAlias(provider: string, alias: string, providers: Providers | undefined): string | undefined {
  const own = vendorOf(provider)?.aliases?.[alias.toLowerCase()];
  return own ?? providers?.[provider]?.models?.[0];
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

function endpointNamed({ environment, providers = {}, credentials }: ProviderInput, name: string): Promise<Endpoint> {
  const entry = Object.hasOwn(providers, name) ? providers[name] : undefined;
  return readEndpoint({ name, entry, environment, credentials });
}

async function openEndpoint(input: ProviderInput, name: string, named: Named): Promise<Endpoint> {
  const endpoint = await endpointNamed(input, name);
  if (!endpoint.isOpen) throw noKey(endpoint, named);
  return withPlace(endpoint);
}

/** Names of regions, such as `us-gov-west-1` and `europe-west4`: what isn't one would be a host that nobody knows. */
const REGION_FORMS = {
  bedrock: { form: /^[a-z]{2,4}(-[a-z]+)+-\d{1,2}$/, example: "us-east-1" },
  vertex: { form: /^(global|us|eu|[a-z]+-[a-z]+\d{1,2})$/, example: "us-east5 or global" },
} as const;

/** @throws {UserFacingError} (exit 2) Bedrock has no region, Vertex no project, or a region's name can't be one. */
function withPlace(endpoint: Endpoint): Endpoint {
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
        `${regionFrom} is "${region.slice(0, 60)}", which is no region: write it like ${example}.`,
        2,
      );
  }
  return endpoint;
}

function noKey({ name, keyFrom }: Endpoint, named: Named): UserFacingError {
  return new UserFacingError(
    `There is no key for the model ${quoted(named)}: set ${keyFrom} or run "quoll auth login ${name}"; --model ${OFFLINE_MODEL} needs none.`,
    2,
  );
}

function noProvider(named: Named, providers: Providers): UserFacingError {
  const { model } = named;
  const front = /^[^/:]+(?=[/:])/.exec(model)?.[0];
  const [nearest] = front === undefined ? [] : nearestProviders(front, providers);
  const hint = nearest === undefined ? "" : ` Did you mean ${nearest}${model.slice(front?.length)}?`;
  return new UserFacingError(
    `The model ${quoted(named)} names no provider: write provider/model, such as openrouter/${model}, or set ANTHROPIC_API_KEY; --model ${OFFLINE_MODEL} needs none.${hint}`,
    2,
  );
}

function filled(value: string | undefined): string | undefined {
  return value?.trim() || undefined;
}
