import type { Effort, ModelCapabilities } from "../../contracts/provider.ts";
import families from "./families.json" with { type: "json" };
import { bareName } from "./model-reference.ts";
import data from "./models.json" with { type: "json" };

/** US dollars per million tokens, for prompts above a size. The last matching row applies to the whole request. */
export type PriceRow = {
  readonly abovePromptTokens: number;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
};
type Numbers = Pick<ModelCapabilities, "contextWindow" | "maxOutputTokens" | "images" | "thinking">;
/**
 * `price` is set only if the price package has no price or a wrong price. Defaults: PDFs as images, tools and parallel
 * calls supported, no choice of effort.
 */
export type ModelRow = Numbers &
  Partial<Omit<ModelCapabilities, "known">> & {
    readonly price?: readonly PriceRow[];
    /** The id in the API, if it differs. */
    readonly sentAs?: string;
    /** The `anthropic-beta` headers that the limits of this row require. */
    readonly betas?: readonly string[];
  };
type Family = ModelRow & { readonly match: string };
/** Without a word about images and thinking, the family has both. */
type WrittenFamily = Omit<Family, "images" | "thinking"> & Partial<Family> & { readonly efforts?: readonly Effort[] };

export const ALIASES: Readonly<Record<string, string>> = data.aliases;
export const UNKNOWN_MODEL: ModelRow = data.unknown;
/** `like`: the model whose other fields the row has too. */
type WrittenRow = Partial<ModelRow> & { readonly like?: string };
const WRITTEN = data.models as Readonly<Record<string, WrittenRow>>;
const MODELS = Object.fromEntries(
  Object.entries(WRITTEN).map(([id, { like = "", ...row }]) => [id, { ...WRITTEN[like], ...row }]),
) as Readonly<Record<string, ModelRow>>;
type Matched = { readonly family: Family; readonly pattern: RegExp };
let matched: readonly Matched[] | undefined;

/** Compiled at the first model without a row of its own. */
function familyPatterns(): readonly Matched[] {
  matched ??= (families as readonly WrittenFamily[]).map((written) => ({
    family: { images: true, thinking: true, ...written },
    pattern: new RegExp(written.match),
  }));
  return matched;
}

export const MODEL_IDS: readonly string[] = Object.keys(MODELS);

/** The row of a model by its id, without vendor prefixes; otherwise the row of its family. */
export function rowOf(model: string): ModelRow | undefined {
  const name = bareName(model);
  if (Object.hasOwn(MODELS, name)) return MODELS[name];
  const last = name.slice(name.lastIndexOf("/") + 1);
  return familyPatterns().find(({ pattern }) => pattern.test(last))?.family;
}

export function withDefaults(row: ModelRow): Omit<ModelCapabilities, "known"> {
  const { contextWindow, maxOutputTokens, images, thinking } = row;
  const { documents = images, tools = true, parallelCalls = true, efforts = [], thinkingStyle, thinkingTokens } = row;
  const style = { ...(thinkingStyle && { thinkingStyle }), ...(thinkingTokens && { thinkingTokens }) };
  return { contextWindow, maxOutputTokens, images, thinking, documents, tools, parallelCalls, efforts, ...style };
}
