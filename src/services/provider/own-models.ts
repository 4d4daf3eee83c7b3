import { nearestName } from "../../contracts/did-you-mean.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import { KNOWN_NAMES, resolveAlias } from "./catalog.ts";
import { type Endpoint, endpointNamed } from "./endpoint.ts";
import { candidates, type Sources, sameModel, type WithAccess } from "./first-with-access.ts";
import { askModels } from "./model-list.ts";
import { vendorOf } from "./vendors.ts";

const OFFLINE_MODEL = "offline";
const ANTHROPIC = "anthropic";
/** A failed request waits no longer than this for the list that explains it. */
const LIST_WAIT_MS = 2_000;

/** The name of each listed model with its provider, by the model's id. */
type ListedNames = ReadonlyMap<string, string>;

/**
 * Asks the person's own endpoints, all at once, for their models. An endpoint that gives no list has no model.
 * @returns `listed`: the first endpoint that lists the model, by its id or as gateways write it.
 */
export async function ownModels(
  sources: Sources,
  model: string,
): Promise<{ readonly listed: WithAccess | undefined; readonly names: ListedNames }> {
  const own = (await candidates(sources)).filter((name) => vendorOf(name) === undefined);
  const lists = await Promise.all(own.map((name) => listOf(name, sources)));
  const names = new Map<string, string>();
  let listed: WithAccess | undefined;
  for (const { endpoint, ids } of lists.flatMap((list) => list ?? [])) {
    const found = ids.includes(model) ? model : sameModel(ids, resolveAlias(model));
    if (found !== undefined) listed ??= { endpoint, model: found };
    for (const id of ids) if (!names.has(id)) names.set(id, `${endpoint.name}/${id}`);
  }
  return { listed, names };
}

async function listOf(
  name: string,
  sources: Sources,
): Promise<{ readonly endpoint: Endpoint; readonly ids: readonly string[] } | undefined> {
  const endpoint = await endpointNamed(name, sources).catch(() => undefined);
  if (!endpoint?.isOpen) return undefined;
  const named = sources.providers?.[name]?.models ?? [];
  if (named.length > 0) return { endpoint, ids: named };
  const list = await sources.askModels?.(endpoint);
  return { endpoint, ids: list?.kind === "answered" ? (list.models ?? []).map(({ id }) => id) : [] };
}

/** The model in the endpoint's list that a name resembles, as `provider/model`. Never rejects. */
export async function nearestListed(endpoint: Endpoint, model: string): Promise<string | undefined> {
  const list = await askModels(endpoint, AbortSignal.timeout(LIST_WAIT_MS));
  const ids = list.kind === "answered" ? (list.models ?? []).map(({ id }) => id) : [];
  const nearest = nearestName(model, ids);
  return nearest === undefined || nearest === model ? undefined : `${endpoint.name}/${nearest}`;
}

type Unknown = {
  readonly name: string;
  /** The name in quotes, with its source. */
  readonly shown: string;
  readonly names: ListedNames;
};

/** The error (exit 2) for a model without a prefix that no provider is known to have. */
export function unknownModel(
  { models = [], providers = {} }: Sources & { readonly models?: readonly string[] },
  { name, shown, names }: Unknown,
): UserFacingError {
  const nearest = nearestName(name, [OFFLINE_MODEL, ...KNOWN_NAMES, ...models, ...names.keys()]);
  const hint = nearest === undefined ? "" : ` Did you mean ${names.get(nearest) ?? nearest}?`;
  const provider = Object.keys(providers).find((one) => vendorOf(one) === undefined) ?? ANTHROPIC;
  return new UserFacingError(
    `No provider is known to have a model ${shown}.${hint} "quoll models" lists the known ones; ` +
      `to use another name, add its provider as a prefix, such as ${provider}/${name}.`,
    2,
  );
}
