import { wantedModel } from "../../app/choose-model.ts";
import type { ModelAccess } from "../../app/model-access.ts";
import type { ProjectEnvironment } from "../../app/session/project-environment.ts";
import { nearestName } from "../../contracts/did-you-mean.ts";
import type { Check } from "../../contracts/doctor.ts";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import { chooseProvider, type ProviderChoice } from "../../services/provider/choose-provider.ts";
import type { Endpoint } from "../../services/provider/endpoint.ts";
import { askModels, type ModelList } from "../../services/provider/model-list.ts";
import { vendorOf } from "../../services/provider/vendors.ts";

/** A provider without an answer after this time counts as unreachable. */
const ANSWER_TIMEOUT_MS = 5_000;

type Choosing = {
  readonly environment: ProjectEnvironment;
  readonly access: ModelAccess;
  readonly model: string | undefined;
  /** The model that a session uses now, as `provider/model`. */
  readonly inUse?: string | undefined;
};

/**
 * Checks the model of a session and whether its provider answers. The check only asks for the list of models, which
 * costs no tokens.
 */
export async function checkModel(
  { environment, access, model, inUse }: Choosing,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  let choice: ProviderChoice;
  try {
    const wish = model === undefined ? {} : { model };
    const wanted = inUse === undefined ? wantedModel(wish, environment.settings) : { flag: inUse, setting: undefined };
    choice = await chooseProvider(wanted, access);
  } catch (error) {
    if (!(error instanceof UserFacingError)) throw error;
    return [{ name: "model", level: "problem", text: error.message }];
  }
  if ("made" in choice)
    return [{ name: "model", level: "ok", text: `${choice.model} of ${choice.provider}, a provider of an extension` }];
  if (!("endpoint" in choice)) return [offlineCheck(choice.fallback)];
  const { endpoint } = choice;
  const chosen: Check = {
    name: "model",
    level: "ok",
    text: `${choice.model} of ${choice.provider}; the key: ${keyText(endpoint)}`,
  };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]);
  const answer = await askModels(endpoint, limit);
  signal.throwIfAborted();
  return [
    { ...chosen, ...unlisted(choice.model, endpoint, answer) },
    { name: "provider", ...answerCheck(answer, endpoint) },
  ];
}

/** An own endpoint whose list lacks the model will probably refuse it. Lists of vendors leave out aliases. */
function unlisted(model: string, { name }: Endpoint, answer: ModelList): Partial<Check> {
  const ids = answer.kind === "answered" ? (answer.models ?? []).map(({ id }) => id) : [];
  if (vendorOf(name) !== undefined || ids.length === 0 || ids.includes(model)) return {};
  const nearest = nearestName(model, ids);
  const meant = nearest === undefined ? "" : `Did you mean ${name}/${nearest}? `;
  return {
    level: "warning",
    text: `${name} does not list a model ${model}`,
    fix: `${meant}\`quoll models\` shows the models of ${name}.`,
  };
}

function offlineCheck(isFallback: boolean): Check {
  if (!isFallback) return { name: "model", level: "ok", text: "the offline engine, as you chose" };
  return {
    name: "model",
    level: "warning",
    text: "no key, so the offline engine answers",
    fix: "Save a key with `quoll auth login`, or set ANTHROPIC_API_KEY.",
  };
}

function keyText({ keySource, keyFrom }: Endpoint): string {
  return keySource === "none" ? "none" : `from ${keyFrom}`;
}

function answerCheck(answer: ModelList, endpoint: Endpoint): Omit<Check, "name"> {
  const { addressFrom, proxy, name } = endpoint;
  const host = `${endpoint.baseUrl?.host ?? name}${proxy ? ", through a proxy" : ""}`;
  const address = `Check the network, the proxy, and the address (from ${addressFrom}).`;
  switch (answer.kind) {
    case "unasked":
      return { level: "ok", text: `${name} was not asked: this provider has no free request` };
    case "unreachable":
      return { level: "problem", text: `${host} does not answer: ${answer.message}`, fix: address };
    case "redirected":
      return {
        level: "problem",
        text: `${host} redirects (${answer.status}); the key was sent nowhere else`,
        fix: address,
      };
    case "answered":
      return statusCheck(answer.status, host, endpoint);
  }
}

function statusCheck(status: number, host: string, { name, keyFrom, keySource }: Endpoint): Omit<Check, "name"> {
  if (status < 300) return { level: "ok", text: `${host} answers` };
  if (status === 401 || status === 403)
    return {
      level: "problem",
      text:
        keySource === "none"
          ? `${host} wants a key (${status})${unset(keyFrom)}`
          : `${host} refuses the key (${status})`,
      fix: `${keySource === "none" ? "Set" : "Replace the key in"} ${keyFrom}, or run \`quoll auth login ${name}\`.`,
    };
  if (status === 429 || status >= 500)
    return {
      level: "warning",
      text: `${host} answers with ${status}`,
      fix: "Try again later: sessions retry by themselves.",
    };
  return { level: "ok", text: `${host} answers (${status}: it lists no models)` };
}

function unset(keyFrom: string): string {
  return /^\w+$/.test(keyFrom) ? `, and ${keyFrom} is not set` : "";
}

/** Describes a failed check, unless Quoll itself is at fault. */
export function unchecked(name: string, error: unknown): Check {
  return { name, level: "warning", text: `not checked: ${errorMessage(error)}` };
}
