import type { ModelLimits } from "../../contracts/ports.ts";
import { words } from "../../contracts/words.ts";
import { field } from "./request/error-body.ts";
import { textUpTo } from "./request/no-stream.ts";

/** The list of a router with hundreds of models has about 1 MB. A longer one is cut, and then it is no JSON. */
export const MAX_LIST_BYTES = 16 * 1024 * 1024;

export type ServerAddress = {
  /** The address with its path, such as `http://127.0.0.1:8000/v1`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof globalThis.fetch;
  readonly signal: AbortSignal;
};

/** A model in the list at `/models`. */
export type ListedModel = { readonly id: string; readonly limits: ModelLimits; readonly owner: string | undefined };

/**
 * Fields for a model's context window in the list: vLLM, OpenRouter, Groq, LM Studio, llama.cpp. The configured size
 * comes before the model's own maximum.
 */
const WINDOW_FIELDS = words(
  "loaded_context_length max_model_len n_ctx context_length context_window max_context_length",
);
const OUTPUT_FIELDS = ["max_completion_tokens", "max_output_tokens"];
/** The `owned_by` of Ollama's models. */
const OLLAMAS = "library";
/** The tag of a name without a tag. */
const LATEST = ":latest";

/**
 * A server's limits for a model: from its list, otherwise from Ollama's `/api/ps` and `/api/show`, otherwise from LM
 * Studio's own list. Undefined if the server does not report limits, or not in time. Never rejects.
 */
export async function askLimits(
  model: string,
  provider: string,
  server: ServerAddress,
): Promise<ModelLimits | undefined> {
  const origin = new URL(server.url).origin;
  const listed = await listModels(server);
  const found = listed && matching(listed, model);
  if (found?.limits.contextWindow !== undefined) return found.limits;
  const isOllama = provider === "ollama" || found?.owner === OLLAMAS;
  if (isOllama)
    return (await askLoaded(model, server)) ?? limitsShown(await json(server, `${origin}/api/show`, { model }));
  if (provider !== "lmstudio") return found?.limits;
  return matching((await listModels({ ...server, url: `${origin}/api/v0` })) ?? [], model)?.limits;
}

/**
 * The window with which Ollama has loaded a model, in tokens, often much less than the model could take: a longer prompt
 * is cut without an error. Undefined for a model that is not loaded, and for another server. Never rejects.
 */
export async function askLoaded(model: string, server: ServerAddress): Promise<ModelLimits | undefined> {
  const models = field(await json(server, `${new URL(server.url).origin}/api/ps`), "models");
  if (!Array.isArray(models)) return undefined;
  const names = [model, `${model}${LATEST}`];
  const loaded = models.find((entry) => names.includes(String(field(entry, "model") ?? field(entry, "name"))));
  const contextWindow = tokens(field(loaded, "context_length"));
  return contextWindow === undefined ? undefined : { contextWindow, isLoaded: true };
}

/** Undefined if the server is not of this kind. */
async function listModels(server: ServerAddress): Promise<readonly ListedModel[] | undefined> {
  const data = field(await json(server, `${server.url}/models`), "data");
  if (!Array.isArray(data)) return undefined;
  return data.flatMap((entry: unknown) => {
    const [id, owner] = [field(entry, "id"), field(entry, "owned_by")];
    if (typeof id !== "string" || field(entry, "type") === "embeddings") return [];
    return [{ id, limits: limitsOf(entry), owner: typeof owner === "string" ? owner : undefined }];
  });
}

/** The model with this id, or the server's only model, regardless of its name. */
function matching(listed: readonly ListedModel[], model: string): ListedModel | undefined {
  return listed.find(({ id }) => id === model) ?? (listed.length === 1 ? listed[0] : undefined);
}

/** The limits in an entry of a list. */
export function limitsOf(entry: unknown): ModelLimits {
  const places = [entry, field(entry, "meta"), field(entry, "top_provider")];
  const first = (names: readonly string[]) =>
    names.flatMap((name) => places.map((place) => tokens(field(place, name)))).find((value) => value !== undefined);
  const [contextWindow, maxOutputTokens] = [first(WINDOW_FIELDS), first(OUTPUT_FIELDS)];
  return {
    ...(contextWindow !== undefined && { contextWindow }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  };
}

/** `num_ctx` from the model's parameters, else the model's maximum: `llama.context_length`. */
function limitsShown(shown: unknown): ModelLimits | undefined {
  const parameters = field(shown, "parameters");
  const own = typeof parameters === "string" ? /^num_ctx\s+(\d+)/m.exec(parameters)?.[1] : undefined;
  const info = Object.entries(Object(field(shown, "model_info"))).find(([name]) => name.endsWith(".context_length"));
  const contextWindow = tokens(Number(own)) ?? tokens(info?.[1]);
  return contextWindow === undefined ? undefined : { contextWindow };
}

function tokens(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value > 0 ? value : undefined;
}

async function json({ fetch, headers, signal }: ServerAddress, url: string, body?: object): Promise<unknown> {
  try {
    const request = body ? { method: "POST", body: JSON.stringify(body) } : {};
    const asked = {
      ...request,
      headers: { "content-type": "application/json", ...headers },
      signal,
      redirect: "error" as const,
    };
    const response = await fetch(url, asked);
    return response.ok && response.body ? JSON.parse(await textUpTo(response.body, MAX_LIST_BYTES)) : undefined;
  } catch {
    return undefined;
  }
}
