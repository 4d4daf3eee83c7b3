import { ConfigurationError, errorMessage } from "../contracts/errors.ts";
import type { ModelCatalog } from "../contracts/ports.ts";
import type { SessionConfig } from "../contracts/session-config.ts";
import type { Settings } from "../contracts/settings.ts";
import { systemClock } from "../platform/clock.ts";
import { accessHeaders } from "../services/provider/access-headers.ts";
import type { AskingCatalog } from "../services/provider/catalog.ts";
import { chooseProvider, type ProviderChoice } from "../services/provider/choose-provider.ts";
import { createProvider } from "../services/provider/create-provider.ts";
import { fetchThrough } from "../services/provider/proxy.ts";
import { vendorOf } from "../services/provider/vendors.ts";
import type { ModelAccess } from "./model-access.ts";
import type { ProjectEnvironment } from "./session/project-environment.ts";

/** A server that has not described its model after this time is not expected to do so. */
const SERVER_WAIT_MS = 2_000;

/** The settings also contain the value of `--model`, unless managed policy overrides it. */
export function wantedModel({ model: flag }: Pick<SessionConfig, "model">, { model: setting }: Settings) {
  return { flag: setting === flag ? flag : undefined, setting };
}

/** @throws {UserFacingError} (exit 2) there is a cap on money, and the model's price is unknown. */
export async function checkCaps(
  model: string,
  { settings }: Pick<ProjectEnvironment, "settings">,
  { maxBudgetUsd }: Pick<SessionConfig, "maxBudgetUsd">,
  catalog: ModelCatalog,
) {
  if (settings.spend === undefined && maxBudgetUsd === undefined) return;
  const { assertAffordable } = await import("./session/records/wire-spend.ts");
  await assertAffordable(model, { settings, maxBudgetUsd, catalog });
}

/**
 * @throws {UserFacingError} (exit 2) a fallback model can't be used: the error comes at the start, not when the
 * model is needed.
 */
export async function checkFallbacks(
  { fallbackModels = [] }: Pick<SessionConfig, "fallbackModels">,
  access: ModelAccess,
): Promise<void> {
  for (const flag of fallbackModels) {
    try {
      await chooseProvider({ flag, setting: undefined }, access);
    } catch (error) {
      throw new ConfigurationError("fallbackModels", errorMessage(error), 2, { cause: error });
    }
  }
}

/** Loads the known facts about the chosen model. */
export async function loadModel(choice: ProviderChoice, catalog: AskingCatalog): Promise<void> {
  await catalog.load(choice.model, choice.provider);
  askServer(choice, catalog);
}

/** While the session begins, Quoll asks a server that serves arbitrary models for their window sizes. */
function askServer(choice: ProviderChoice, catalog: AskingCatalog): void {
  if (!("endpoint" in choice)) return;
  const { model, provider, endpoint } = choice;
  const { type, baseUrl, proxy } = endpoint;
  const isVendors = vendorOf(provider) !== undefined && !vendorOf(provider)?.isLocal;
  if (type !== "openai-compatible" || !baseUrl || (isVendors && catalog.capabilities(model).known)) return;
  catalog.askFor(model, async () => {
    const { askLimits } = await import("../services/provider/server-limits.ts");
    const fetch = fetchThrough(proxy, undefined) ?? globalThis.fetch;
    const signal = AbortSignal.timeout(SERVER_WAIT_MS);
    return askLimits(model, provider, { url: baseUrl.url, fetch, signal, headers: accessHeaders(endpoint) });
  });
}

type ChoosingSession = {
  readonly access: ModelAccess;
  readonly catalog: AskingCatalog;
  readonly config: Pick<SessionConfig, "maxBudgetUsd">;
};

/**
 * The model of this name for an agent of the session.
 * @throws {UserFacingError} it can't be used, or a cap on money applies and its price is unknown.
 */
export async function modelWithinCaps(
  name: string,
  { access, catalog, config }: ChoosingSession,
  environment: Pick<ProjectEnvironment, "settings">,
) {
  const selected = await modelNamed(name, access, catalog);
  await checkCaps(selected.model, environment, config, catalog);
  return selected;
}

export async function modelNamed(name: string, access: ModelAccess, catalog: AskingCatalog) {
  const choice = await chooseProvider({ flag: name, setting: undefined, acceptsSlips: true }, access);
  const provider = await createProvider(choice, {
    catalog,
    clock: systemClock,
    random: Math.random,
    rateLimits: access.rateLimits,
  });
  await loadModel(choice, catalog);
  return { provider, model: choice.model };
}
