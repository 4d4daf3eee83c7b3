import { UserFacingError } from "../../contracts/errors.ts";
import { resolveAlias } from "./catalog.ts";
import { type Endpoint, type EndpointSources, endpointNamed } from "./endpoint.ts";
import type { ModelList } from "./model-list.ts";
import { bareName } from "./model-reference.ts";
import { VENDOR_NAMES, vendorOf } from "./vendors.ts";

const ANTHROPIC = "anthropic";

export type Sources = EndpointSources & { readonly askModels?: (endpoint: Endpoint) => Promise<ModelList> };

/** `model` may be an alias of the endpoint's vendor. */
export type WithAccess = { readonly endpoint: Endpoint; readonly model: string };

/**
 * The first provider after Anthropic that can be used, and its model for an alias. Vendors with a key come first, then the endpoints
 * of the settings, then saved ones. An endpoint without a list of models in the settings is asked for its models.
 * @returns undefined if nothing gives access. A server on this machine that does not run gives none.
 * @throws {UserFacingError} (exit 2) there is only an endpoint that lists no models.
 */
export async function firstWithAccess(sources: Sources, alias: string): Promise<WithAccess | undefined> {
  let problem: UserFacingError | undefined;
  for (const name of await candidates(sources)) {
    const endpoint = await endpointNamed(name, sources);
    if (!endpoint.isOpen) continue;
    const found = await modelFor(endpoint, alias, sources);
    if (typeof found === "string") return { endpoint, model: found };
    problem ??= found;
  }
  if (problem) throw problem;
  return undefined;
}

/** Leaves out stored keys of providers that are not known to have a key, and local servers that may not be running. */
export async function candidates({
  environment,
  providers = {},
  credentials,
}: EndpointSources): Promise<readonly string[]> {
  const stored = (await credentials?.list()) ?? [];
  const hasKey = (name: string) =>
    stored.includes(name) || vendorOf(name)?.keyEnv.some((variable) => environment[variable]?.trim());
  const vendors = VENDOR_NAMES.filter((name) => name !== ANTHROPIC && hasKey(name));
  const own = stored.filter((name) => vendorOf(name) === undefined);
  return [...new Set([...vendors, ...Object.keys(providers), ...own])].filter((name) => name !== ANTHROPIC);
}

/** @returns an error if the endpoint is the person's own and lists no models; undefined if the endpoint does not count. */
async function modelFor(
  endpoint: Endpoint,
  alias: string,
  { providers, askModels }: Sources,
): Promise<string | UserFacingError | undefined> {
  const { name, type, baseUrl, hasOwnAddress } = endpoint;
  const vendor = vendorOf(name);
  const known = vendor?.aliases?.[alias.toLowerCase()] ?? providers?.[name]?.models?.[0];
  if (known !== undefined) return known;
  const isRouter = vendor !== undefined && !vendor.isLocal && type === "openai-compatible";
  if (!askModels || !(hasOwnAddress || isRouter)) return undefined;
  const list = await askModels(endpoint);
  if (list.kind === "unreachable" && baseUrl?.isLoopback) return undefined;
  const models = list.kind === "answered" ? (list.models ?? []).map(({ id }) => id) : [];
  // A router has hundreds of models in no useful order.
  return usual(models, alias) ?? (hasOwnAddress ? models[0] : undefined) ?? noModels(endpoint, list);
}

/** The model in a list that a vendor's alias means: gateways write `claude-x-5-5`, `anthropic/claude-x-5.5` or `vertex_ai/claude-x-5-5`. */
function usual(models: readonly string[], alias: string): string | undefined {
  const wanted = [
    resolveAlias(alias),
    ...VENDOR_NAMES.flatMap((name) => vendorOf(name)?.aliases?.[alias.toLowerCase()] ?? []),
  ];
  for (const id of wanted) {
    const found = sameModel(models, id);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The model of a list that has this id, however a gateway writes it. */
export function sameModel(models: readonly string[], id: string): string | undefined {
  return models.find((model) => plainName(model) === plainName(id));
}

function plainName(model: string): string {
  return bareName(model.replace(/^.*\//, "")).replaceAll(".", "-");
}

function noModels(endpoint: Endpoint, list: ModelList): UserFacingError {
  const { name } = endpoint;
  return new UserFacingError(
    `No model is named, and Quoll can't choose one of ${name}: ${reason(endpoint, list)}. ` +
      `Name a model: --model ${name}/<model>, or the setting "providers.${name}.models"; the model "offline" needs no server.`,
    2,
  );
}

/** Why an endpoint gave no list of models. */
export function reason({ name, baseUrl, keyFrom, keySource }: Endpoint, list: ModelList): string {
  const host = baseUrl?.host ?? name;
  switch (list.kind) {
    case "unreachable":
      return `${host} does not answer (${list.message})`;
    case "redirected":
      return `${host} redirects (${list.status})`;
    case "unasked":
      return `${host} has no list of models`;
    case "answered":
      if (list.status === 401 || list.status === 403)
        return keySource === "none"
          ? `${host} wants a key (${list.status}): set ${keyFrom}`
          : `${host} refuses the key (${list.status}, ${keyFrom})`;
      return list.status < 300 ? `${host} lists no models` : `${host} lists no models (${list.status})`;
  }
}
