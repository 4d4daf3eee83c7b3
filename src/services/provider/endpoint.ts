import { UserFacingError } from "../../contracts/errors.ts";
import type { EndpointQuirks, ProviderSettings, ProviderType } from "../../contracts/provider-settings.ts";
import { type ProxyRoute, proxyFor } from "../../platform/proxy-route.ts";
import { expandHeaders } from "./access-headers.ts";
import { type BaseUrl, cloudHost, parseBaseUrl, parseEndpointUrl } from "./base-url.ts";
import { type Vendor, vendorOf } from "./vendors.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Access to a provider from a key store: a key, an address, or both. */
export type StoredAccess = {
  readonly source: "variable" | "keyring" | "file" | "helper";
  /** The source: a variable's name, the keyring, a file's path, or a helper command. */
  readonly from: string;
  readonly key?: string;
  readonly endpoint?: string;
};

/** Saved keys and addresses, and keys from helper commands. */
export interface Credentials {
  /** @throws {UserFacingError} the saved data is unreadable, or the helper failed. */
  lookup(provider: string): Promise<StoredAccess | undefined>;
  /** The providers with saved data. */
  list(): Promise<readonly string[]>;
  /** Reports that the provider rejected its key, so that the next lookup reads the key again. */
  forget?(provider: string): void | Promise<void>;
}

/** The address and credentials of a provider's requests. */
export type Endpoint = {
  readonly name: string;
  readonly type: ProviderType;
  readonly baseUrl: BaseUrl | undefined;
  /** The source of the address, for messages. */
  readonly addressFrom: string;
  /** True if the person set the address: the server may have any models. */
  readonly hasOwnAddress: boolean;
  readonly apiKey: string | undefined;
  /** Anthropic's other kind of key, sent as a Bearer token. */
  readonly authToken: string | undefined;
  /** The source of the key, or the place where a key would be found. */
  readonly keyFrom: string;
  readonly keySource: StoredAccess["source"] | "none";
  /** Looks the key up again after the provider rejected it; undefined for a key that cannot have changed. */
  readonly renewKey: (() => Promise<string | undefined>) | undefined;
  /** The person's own headers; their variables are replaced. */
  readonly headers: Readonly<Record<string, string>>;
  readonly api: ProviderSettings["api"];
  readonly quirks: EndpointQuirks;
  readonly cacheTtl: ProviderSettings["cacheTtl"];
  /** The allowed silence between two events of an answer, if the settings give one. */
  readonly streamIdleMs: number | undefined;
  readonly proxy: ProxyRoute | undefined;
  /** For Bedrock and Vertex. */
  readonly region: string | undefined;
  /** The variable that sets the region. */
  readonly regionFrom: string | undefined;
  /** For Vertex. */
  readonly project: string | undefined;
  /** True if its API has a web search, as the vendors' own hosts have. */
  readonly searchesWeb: boolean;
  /** True if requests can be sent: there is a key, or the provider needs none, and every variable of the headers is set. */
  readonly isOpen: boolean;
};

const TOKEN_ENV = "ANTHROPIC_AUTH_TOKEN";
const EXAMPLE_URL = "http://127.0.0.1:8000/v1";
const REGION_ENV: Readonly<Partial<Record<ProviderType, readonly string[]>>> = {
  bedrock: ["AWS_REGION", "AWS_DEFAULT_REGION"],
  vertex: ["CLOUD_ML_REGION", "GOOGLE_CLOUD_LOCATION"],
};
const PROJECT_ENV = ["ANTHROPIC_VERTEX_PROJECT_ID", "GOOGLE_CLOUD_PROJECT"];
const ADDRESS_ENV: Readonly<Partial<Record<ProviderType, string>>> = {
  bedrock: "ANTHROPIC_BEDROCK_BASE_URL",
  vertex: "ANTHROPIC_VERTEX_BASE_URL",
};

export type EndpointInput = {
  /** The defaults of a vendor or of an entry of the setting `providers`. */
  readonly name: string;
  readonly entry: ProviderSettings | undefined;
  readonly environment: Environment;
  readonly credentials: Credentials | undefined;
};

/**
 * Combines the sources for a provider: the setting `providers` first, then the environment, then the table.
 * @throws {UserFacingError} (exit 2) there is no address, or the address is unusable.
 */
export async function readEndpoint({ name, entry, environment, credentials }: EndpointInput): Promise<Endpoint> {
  const vendor = vendorOf(name);
  const type = entry?.type ?? vendor?.type ?? "openai-compatible";
  const read = (variable: string | undefined) => (variable && environment[variable]?.trim()) || undefined;
  const stored = await credentials?.lookup(name);
  const address = addressOf({ name, type, entry, vendor, stored, read });
  const { baseUrl } = address;
  const regionFrom = REGION_ENV[type]?.find((variable) => read(variable) !== undefined);
  const region = read(regionFrom);
  const authToken = type === "anthropic" ? tokenOf(entry, vendor, read) : undefined;
  const key =
    authToken === undefined
      ? keyOf(name, entry, vendor, stored, read)
      : { apiKey: undefined, from: TOKEN_ENV, source: "variable" as const };
  const isOwn = !vendor && (entry !== undefined || stored?.endpoint !== undefined);
  const isKeyless = type === "bedrock" || type === "vertex" || (isOwn && !entry?.apiKeyEnv);
  const { headers, missing } = expandHeaders(entry?.headers, environment);
  const hasAccess = key.apiKey !== undefined || authToken !== undefined || baseUrl?.isLoopback === true || isKeyless;
  return {
    name,
    type,
    ...address,
    apiKey: key.apiKey,
    authToken,
    keyFrom: missing ?? key.from,
    keySource: key.source,
    renewKey: isStored(key.apiKey, stored) ? renewal(name, credentials) : undefined,
    headers,
    api: entry?.api,
    quirks: { ...vendor?.quirks, ...entry?.quirks },
    cacheTtl: entry?.cacheTtl,
    streamIdleMs: entry?.streamIdleSeconds === undefined ? undefined : entry.streamIdleSeconds * 1000,
    proxy: proxyFor(baseUrl?.url ?? `https://${cloudHost(type === "vertex" ? type : "bedrock", region)}`, environment),
    region,
    regionFrom,
    project: type === "vertex" ? PROJECT_ENV.map(read).find(Boolean) : undefined,
    searchesWeb: entry?.webSearch ?? isSearching(vendor, baseUrl),
    isOpen: hasAccess && missing === undefined,
  };
}

/** The places where providers are described. */
export type EndpointSources = {
  readonly environment: Environment;
  /** The setting `providers`. */
  readonly providers?: Readonly<Record<string, ProviderSettings>> | undefined;
  readonly credentials?: Credentials | undefined;
};

/** @throws {UserFacingError} (exit 2) there is no address, or the address is unusable. */
export function endpointNamed(
  name: string,
  { environment, providers = {}, credentials }: EndpointSources,
): Promise<Endpoint> {
  const entry = Object.hasOwn(providers, name) ? providers[name] : undefined;
  return readEndpoint({ name, entry, environment, credentials });
}

/** A gateway at another address may lack the search, or send it elsewhere. */
function isSearching(vendor: Vendor | undefined, baseUrl: BaseUrl | undefined): boolean {
  if (!vendor?.searchesWeb) return false;
  return vendor.baseUrl === undefined
    ? baseUrl === undefined
    : baseUrl === undefined || new URL(baseUrl.url).origin === new URL(vendor.baseUrl).origin;
}

type Read = (variable: string | undefined) => string | undefined;

type Address = {
  readonly name: string;
  readonly type: ProviderType;
  readonly entry: ProviderSettings | undefined;
  readonly vendor: Vendor | undefined;
  readonly stored: StoredAccess | undefined;
  readonly read: Read;
};

/** The address from the setting, the variable, the saved data, or the vendor's default, in this order. */
function addressOf({
  name,
  type,
  entry,
  vendor,
  stored,
  read,
}: Address): Pick<Endpoint, "baseUrl" | "addressFrom" | "hasOwnAddress"> {
  const setting = `the setting "providers.${name}.baseUrl"`;
  const variable = vendor?.baseUrlEnv ?? ADDRESS_ENV[type];
  const own = [
    { value: entry?.baseUrl, from: setting },
    { value: read(variable), from: variable ?? setting },
    { value: stored?.endpoint, from: `the endpoint that "quoll auth login ${name}" saved` },
  ].find(({ value }) => value !== undefined);
  const addressFrom = own?.from ?? variable ?? setting;
  const facts = { addressFrom, hasOwnAddress: own !== undefined };
  if (type === "anthropic") return { baseUrl: parseBaseUrl(own?.value, addressFrom), ...facts };
  const usual = vendor?.baseUrl ?? (type === "openai-compatible" ? undefined : vendorOf(type)?.baseUrl);
  const text = own?.value !== undefined && name === "ollama" ? ollamaUrl(own.value) : (own?.value ?? usual);
  if (text !== undefined) return { baseUrl: parseEndpointUrl(text, addressFrom, usual ?? EXAMPLE_URL), ...facts };
  if (type === "bedrock" || type === "vertex") return { baseUrl: undefined, ...facts };
  throw new UserFacingError(`The provider "${name}" has no address: set ${setting}, such as ${EXAMPLE_URL}.`, 2);
}

/** OLLAMA_HOST is the address on which the server listens: a host, with or without protocol and port. */
function ollamaUrl(value: string): string {
  const text = /^https?:\/\//.test(value) ? value : `http://${value}`;
  if (!URL.canParse(text)) return value;
  const url = new URL(text);
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  if (url.port === "" && !/:\d+/.test(value)) url.port = "11434";
  const path = url.pathname.replace(/\/+$/, "");
  return `${url.origin}${path === "" ? "/v1" : path}`;
}

/** The Bearer token is used if there is no key. */
function tokenOf(entry: ProviderSettings | undefined, vendor: Vendor | undefined, read: Read): string | undefined {
  const hasKey = vendor?.keyEnv.some((variable) => read(variable) !== undefined) ?? false;
  return entry?.apiKeyEnv !== undefined || vendor === undefined || hasKey ? undefined : read(TOKEN_ENV);
}

function keyOf(
  name: string,
  entry: ProviderSettings | undefined,
  vendor: Vendor | undefined,
  stored: StoredAccess | undefined,
  read: Read,
): { readonly apiKey: string | undefined; readonly from: string; readonly source: Endpoint["keySource"] } {
  const variables = entry?.apiKeyEnv === undefined ? (vendor?.keyEnv ?? []) : [entry.apiKeyEnv];
  const set = variables.find((variable) => read(variable) !== undefined);
  if (set !== undefined) return { apiKey: read(set), from: set, source: "variable" };
  if (stored?.key !== undefined) return { apiKey: stored.key, from: storedFrom(name, stored), source: stored.source };
  const from = variables[0] ?? `the key that "quoll auth login ${name}" saves`;
  return { apiKey: undefined, from, source: "none" };
}

/** A saved key or a helper's key may have changed; a variable stays the same. */
function isStored(apiKey: string | undefined, stored: StoredAccess | undefined): boolean {
  return apiKey !== undefined && stored?.key === apiKey && stored.source !== "variable";
}

function renewal(name: string, credentials: Credentials | undefined): Endpoint["renewKey"] {
  return async () => {
    await credentials?.forget?.(name);
    return (await credentials?.lookup(name))?.key;
  };
}

/** The source of the key and, for a saved key, how to replace it. */
function storedFrom(name: string, { source, from }: StoredAccess): string {
  if (source === "variable") return from;
  if (source === "helper") return `the key of the key helper (${from})`;
  return `the key in ${from} ("quoll auth login ${name}" replaces it)`;
}
