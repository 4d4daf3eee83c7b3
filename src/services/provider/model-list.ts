import { errorMessage } from "../../contracts/errors.ts";
import { parsedJson } from "../../contracts/parsed-json.ts";
import type { ModelLimits } from "../../contracts/ports.ts";
import type { ProviderType } from "../../contracts/provider-settings.ts";
import { accessHeaders } from "./access-headers.ts";
import type { Endpoint } from "./endpoint.ts";
import { fetchThrough } from "./proxy.ts";
import { field } from "./request/error-body.ts";
import { textUpTo } from "./request/no-stream.ts";
import { type ListedModel, limitsOf, MAX_LIST_BYTES } from "./server-limits.ts";

/** Models that return embeddings, images or audio. */
const NO_CHAT = /embed|minilm|rerank|moderation|dall-e|imagen|(^|[/_-])(bge|gte|e5|whisper|tts)([-_:.]|$)/i;
/** Anthropic's and Google's lists have pages; these are their largest. */
const PAGE = 1_000;

/** An endpoint's answer to a request for its list of models, which is free of charge. */
export type ModelList =
  /** `models` is undefined if the answer has no list. */
  | { readonly kind: "answered"; readonly status: number; readonly models: readonly ListedModel[] | undefined }
  /** The endpoint redirects; Quoll sent nothing to the new address. */
  | { readonly kind: "redirected"; readonly status: number }
  | { readonly kind: "unreachable"; readonly message: string }
  /** The provider offers no such request. */
  | { readonly kind: "unasked" };

/** Bun's text after a failed connection; the callers say what to check. */
const ADVICE = /\.? Is the computer able to access the url\?$/;

/**
 * Asks an endpoint for its chat models, at the address and with the headers of a session. A redirect is never followed, so that
 * the key goes to no other host. Never rejects.
 */
export async function askModels(endpoint: Endpoint, signal: AbortSignal): Promise<ModelList> {
  const url = listAddress(endpoint);
  if (url === undefined) return { kind: "unasked" };
  try {
    const fetch = fetchThrough(endpoint.proxy, undefined) ?? globalThis.fetch;
    const response = await fetch(url, { headers: accessHeaders(endpoint), signal, redirect: "manual" });
    const { status } = response;
    if (response.type === "opaqueredirect" || (status >= 300 && status < 400)) {
      await response.body?.cancel();
      return { kind: "redirected", status };
    }
    return { kind: "answered", status, models: response.ok ? await modelsIn(response, endpoint.type) : undefined };
  } catch (error) {
    return { kind: "unreachable", message: errorMessage(error).replace(ADVICE, "") };
  }
}

/**
 * The address of the list, as each API documents it.
 * https://docs.claude.com/en/api/models-list, https://platform.openai.com/docs/api-reference/models/list,
 * https://ai.google.dev/api/models
 */
function listAddress({ type, baseUrl }: Endpoint): string | undefined {
  if (!baseUrl) return undefined;
  switch (type) {
    case "anthropic":
      return `${baseUrl.url}/v1/models?limit=${PAGE}`;
    case "google":
      return `${baseUrl.url}/models?pageSize=${PAGE}`;
    case "openai":
    case "openai-compatible":
      return `${baseUrl.url}/models`;
    default:
      return undefined;
  }
}

async function modelsIn(response: Response, type: ProviderType): Promise<readonly ListedModel[] | undefined> {
  const answer = parsedJson(response.body ? await textUpTo(response.body, MAX_LIST_BYTES) : "");
  const listed = field(answer, "data") ?? field(answer, "models");
  if (!Array.isArray(listed)) return undefined;
  return listed.flatMap((entry: unknown) => {
    const id = type === "google" ? googleId(entry) : (field(entry, "id") ?? undefined);
    const owner = field(entry, "owned_by");
    if (typeof id !== "string" || field(entry, "type") === "embeddings" || NO_CHAT.test(id)) return [];
    const limits = type === "google" ? googleLimits(entry) : limitsOf(entry);
    return [{ id, limits, owner: typeof owner === "string" ? owner : undefined }];
  });
}

/** `models/gemini-3.8-flash`; undefined for a model that answers no prompts. */
function googleId(entry: unknown): string | undefined {
  const [name, methods] = [field(entry, "name"), field(entry, "supportedGenerationMethods")];
  if (typeof name !== "string" || (Array.isArray(methods) && !methods.includes("generateContent"))) return undefined;
  return name.replace(/^models\//, "");
}

function googleLimits(entry: unknown): ModelLimits {
  const [contextWindow, maxOutputTokens] = [field(entry, "inputTokenLimit"), field(entry, "outputTokenLimit")];
  return {
    ...(typeof contextWindow === "number" && { contextWindow }),
    ...(typeof maxOutputTokens === "number" && { maxOutputTokens }),
  };
}
