import { openCredentials } from "../../app/open-credentials.ts";
import type { AccountStatus, Accounts, ModelOffer } from "../../contracts/command.ts";
import type { LocalServerFound } from "../../faces/repl/repl-props.ts";
import { checkKey } from "../../services/credentials/check-credential.ts";
import type { CredentialStatus } from "../../services/credentials/credential-store.ts";
import { modelCatalog } from "../../services/provider/catalog.ts";
import { endpointNamed } from "../../services/provider/endpoint.ts";
import { providerOfModel, readReference } from "../../services/provider/model-reference.ts";
import { VENDOR_NAMES, vendorName, vendorOf } from "../../services/provider/vendors.ts";
import { savedLine } from "../account/auth-command.ts";
import { asyncStore, type Known, servedModels, serversHere, type Wait } from "./served-models.ts";

/** For a list that a person waits for at the prompt. */
const SERVER_WAIT_MS = 200;
/** A request of so few tokens has no long-context price. */
const PRICED_TOKENS = 1_000;
const TOKENS_PER_PRICE = 1_000_000;
const ANTHROPIC = "anthropic";
const OFFLINE = "offline";
const LOCAL_NAMES: Readonly<Record<string, string>> = {
  ollama: "Ollama",
  lmstudio: "LM Studio",
  llamacpp: "llama.cpp",
  vllm: "vLLM",
};

/** Shows which providers have a key, and saves keys. */
export function accountsOf({ env, own, machine, settings }: Known): Accounts {
  const store = openCredentials({ env, own, os: machine.os, settings });
  const names = () => [...new Set([...VENDOR_NAMES, ...Object.keys(settings.providers ?? {}), ...store.list()])];
  return {
    async list() {
      const all = [];
      for (const name of names()) all.push(accountOf(await store.status(name)));
      return all;
    },
    async save(provider, text) {
      const name = vendorName(provider) ?? provider;
      const key = checkKey(text);
      return savedLine(name, await store.save(name, { key }), key, undefined);
    },
    saved: async () => store.list(),
    async remove(provider) {
      const name = vendorName(provider) ?? provider;
      const wasThere = await store.remove(name);
      if (!wasThere) return [`Nothing was saved for ${name}.`];
      const { source, from } = await store.status(name);
      const stays = source === "variable" ? [`${from} is still set, and gives access to ${name}.`] : [];
      return [
        `Removed the saved key and address of ${name}. A running conversation keeps using the key until it ends.`,
        ...stays,
      ];
    },
  };
}

function accountOf({ provider, source, from, key, endpoint, problem }: CredentialStatus): AccountStatus {
  const needsKey = !vendorOf(provider)?.isLocal;
  if (problem !== undefined) return { provider, access: undefined, from: problem, needsKey };
  if (source === "none") return { provider, access: undefined, from: "", needsKey };
  const access = key ?? (endpoint === undefined ? "helper" : "endpoint");
  return { provider, access, from: endpoint === undefined ? from : `${from}, at ${endpoint}`, needsKey };
}

/**
 * The list of `/model`, with the models of local servers and of the person's own endpoints first. The list uses its own tables, so
 * that loading them never affects the session.
 */
export async function describeModels(
  session: Known,
  ofExtensions: readonly string[] = [],
  wait: Wait = { waitMs: SERVER_WAIT_MS },
): Promise<readonly ModelOffer[]> {
  const { env: environment, settings, own, machine } = session;
  const { models, providers = {} } = settings;
  const catalog = modelCatalog({ models, providers });
  // Without settings, so that no key helper runs for a list.
  const store = openCredentials({ env: environment, own, os: machine.os });
  const credentials = asyncStore(store);
  const access = new Map<string, Promise<boolean>>();
  const hasAccess = (name: string) => {
    const known = access.get(name);
    if (known) return known;
    const asked = endpointNamed(name, { environment, providers, credentials }).then(
      ({ isOpen }) => isOpen || hasHelper(name, settings),
      () => false,
    );
    access.set(name, asked);
    return asked;
  };
  const offer = async (name: string, model: string, provider: string): Promise<ModelOffer> => {
    await catalog.load(model, provider);
    const { contextWindow, efforts, known } = catalog.capabilities(model);
    const [input, output] = await Promise.all([
      catalog.cost(model, { ...NOTHING, inputTokens: PRICED_TOKENS }),
      catalog.cost(model, { ...NOTHING, outputTokens: PRICED_TOKENS }),
    ]);
    const perMillion = TOKENS_PER_PRICE / PRICED_TOKENS;
    const isPriced = input !== undefined && output !== undefined;
    return {
      name,
      model,
      provider,
      windowTokens: known ? contextWindow : undefined,
      price: isPriced ? { input: input * perMillion, output: output * perMillion } : undefined,
      efforts,
      hasAccess: await hasAccess(provider),
    };
  };
  const named = catalog.list().map(async (name): Promise<ModelOffer> => {
    if (name === OFFLINE) return OFFLINE_OFFER;
    const reference = readReference(name, providers);
    const model = catalog.resolve(reference.model);
    return offer(name, model, reference.provider ?? providerOfModel(model, providers) ?? ANTHROPIC);
  });
  const known = new Set(catalog.list());
  const running: Promise<ModelOffer>[] = [];
  for (const { endpoint, models: served } of await servedModels(session, wait)) {
    for (const { id, limits } of served) {
      const name = `${endpoint.name}/${id}`;
      if (known.has(name) || (endpoint.name === ANTHROPIC && known.has(id))) continue;
      catalog.learn(id, limits);
      running.push(offer(name, id, endpoint.name));
    }
  }
  return Promise.all([...running, ...named, ...ofExtensions.map(extensionOffer)]);
}

/** The model of an extension in the list of models. Its price and its limits are unknown. */
function extensionOffer(name: string): ModelOffer {
  const [provider = "", ...rest] = name.split("/");
  const model = rest.join("/");
  return { name, model, provider, windowTokens: undefined, price: undefined, efforts: [], hasAccess: true };
}

const OFFLINE_OFFER: ModelOffer = {
  name: OFFLINE,
  model: OFFLINE,
  provider: "none",
  windowTokens: undefined,
  price: { input: 0, output: 0 },
  efforts: [],
  hasAccess: true,
};
const NOTHING = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** True if a command prints the provider's key. */
function hasHelper(name: string, { apiKeyHelper, providers = {} }: Known["settings"]): boolean {
  return providers[name]?.apiKeyHelper !== undefined || (name === ANTHROPIC && apiKeyHelper !== undefined);
}

/** Finds model servers on this machine at their usual ports, or where a setting or a variable says. */
export async function localServers(known: Known, signal: AbortSignal): Promise<readonly LocalServerFound[]> {
  const found = await serversHere(known, { waitMs: SERVER_WAIT_MS, signal });
  return found.map(({ endpoint: { name, baseUrl }, models }) => {
    const ids = models.map(({ id }) => id);
    return { name: LOCAL_NAMES[name] ?? name, provider: name, address: baseUrl?.host ?? "", models: ids };
  });
}
