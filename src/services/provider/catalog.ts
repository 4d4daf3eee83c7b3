import { totalInputTokens, type Usage } from "../../contracts/message.ts";
import type { ModelCatalog } from "../../contracts/ports.ts";
import type { ModelCapabilities } from "../../contracts/provider.ts";
import { bareName } from "./model-name.ts";
import data from "./models.json" with { type: "json" };

/** US dollars per million tokens, for prompts above a size; the last row that fits counts for the whole request. */
type PriceRow = {
  readonly abovePromptTokens: number;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
};
type Numbers = Pick<ModelCapabilities, "contextWindow" | "maxOutputTokens" | "images" | "thinking">;
/**
 * `price` stands only where the price package has none, or a wrong one. What a row leaves out: PDFs as pictures, tools and
 * several calls yes, no choice of effort.
 */
type ModelRow = Numbers & Partial<Omit<ModelCapabilities, "known">> & { readonly price?: readonly PriceRow[] };

const ALIASES: Readonly<Record<string, string>> = data.aliases;
const MODELS: Readonly<Record<string, ModelRow>> = data.models;

const TOKENS_PER_PRICE = 1_000_000;
const PRICE_PROVIDER = "anthropic";

/** The catalogue that stands in models.json: aliases, capabilities, and prices that the price package lacks. */
export function modelCatalog(): ModelCatalog {
  return {
    resolve: resolveAlias,
    capabilities(model) {
      const row = rowOf(model);
      return { ...withDefaults(row ?? data.unknown), known: row !== undefined };
    },
    cost: async (model, usage) => {
      const name = bareName(resolveAlias(model));
      const rows = MODELS[name]?.price;
      return rows ? priceByRows(rows, usage) : priceByPackage(name, usage);
    },
    list: () => [...Object.keys(ALIASES), ...Object.keys(MODELS)],
  };
}

function resolveAlias(name: string): string {
  const folded = name.trim().toLowerCase();
  return Object.hasOwn(ALIASES, folded) ? (ALIASES[folded] ?? name) : name.trim();
}

function withDefaults(row: ModelRow): Omit<ModelCapabilities, "known"> {
  const { contextWindow, maxOutputTokens, images, thinking } = row;
  const { documents = images, tools = true, parallelCalls = true, efforts = [] } = row;
  return { contextWindow, maxOutputTokens, images, thinking, documents, tools, parallelCalls, efforts };
}

function rowOf(model: string): ModelRow | undefined {
  const name = bareName(resolveAlias(model));
  return Object.hasOwn(MODELS, name) ? MODELS[name] : undefined;
}

function priceByRows(rows: readonly PriceRow[], usage: Usage): number | undefined {
  const promptTokens = totalInputTokens(usage);
  const row = rows.findLast(({ abovePromptTokens }) => promptTokens > abovePromptTokens || abovePromptTokens === 0);
  if (!row) return undefined;
  const sum =
    usage.inputTokens * row.input +
    usage.outputTokens * row.output +
    usage.cacheReadTokens * row.cacheRead +
    usage.cacheWriteTokens * row.cacheWrite;
  return sum / TOKENS_PER_PRICE;
}

/** The package matches by the start of a name, and would price a newer model as its elder: only the very model counts. */
async function priceByPackage(name: string, usage: Usage): Promise<number | undefined> {
  const { calcPrice } = await import("@pydantic/genai-prices");
  const tokens = {
    input_tokens: totalInputTokens(usage),
    output_tokens: usage.outputTokens,
    cache_read_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheWriteTokens,
  };
  const found = calcPrice(tokens, name, { providerId: PRICE_PROVIDER });
  if (!found || withoutZero(bareName(found.model.id)) !== withoutZero(name)) return undefined;
  return found.total_price;
}

/** `claude-opus-4-0` and `claude-opus-4` are one model. */
function withoutZero(name: string): string {
  return name.replace(/-0$/, "");
}
