import type { Rule } from "./rule.ts";
import { blocksOf } from "./turns.ts";

/**
 * Limits that depend on the model, by the version in its name. A name without a version has none of these limits.
 * Sources: Anthropic's migration guides to Claude 4.6, 4.7 and 5, and the refusals that clients have reported.
 */
const NO_PREFILL_FROM = 4.06;
const ADAPTIVE_FROM = 4.06;
const ADAPTIVE_ALONE_FROM = 4.07;
const NO_SAMPLING_FROM = 4.07;
const EFFORT_FROM = 4.06;
const OPUS_EFFORT_FROM = 4.05;

/**
 * The family before the version (`claude-opus-4-7`, dated or on a cloud), or after it (`claude-3-7-sonnet-20250219`).
 */
const FAMILY_FIRST = /claude-([a-z]+)-(\d{1,2})(?:-(\d{1,2}))?(?!\d)/;
const VERSION_FIRST = /claude-(\d)(?:-(\d))?-([a-z]+)/;

/** 4.07 for 4-7: versions in their order. */
function versionOf(model: string): { readonly family: string; readonly version: number } | undefined {
  const [, family, major, minor = "0"] = FAMILY_FIRST.exec(model) ?? [];
  if (family !== undefined) return { family, version: Number(major) + Number(minor) / 100 };
  const [, oldMajor, oldMinor = "0", oldFamily] = VERSION_FIRST.exec(model) ?? [];
  return oldFamily === undefined
    ? undefined
    : { family: oldFamily, version: Number(oldMajor) + Number(oldMinor) / 100 };
}

export const prefillIsPossible: Rule = ({ request: { model, messages } }, report) => {
  const last = messages.at(-1);
  if (last?.role !== "assistant" || (versionOf(model)?.version ?? 0) < NO_PREFILL_FROM) return;
  if (blocksOf(last, "").length > 0)
    report("messages", "this model goes on with no message of the assistant: the last one must be the user's");
};

export const thinkingFitsTheModel: Rule = ({ request: { model, thinking } }, report) => {
  const version = versionOf(model)?.version;
  if (version === undefined) return;
  if (thinking?.type === "enabled" && version >= ADAPTIVE_ALONE_FROM)
    report("thinking.type", '"enabled" is not supported for this model: use "adaptive" and output_config.effort');
  if (thinking?.type === "adaptive" && version < ADAPTIVE_FROM)
    report("thinking.type", '"adaptive" is not supported for this model: use "enabled" with budget_tokens');
};

export const effortFitsTheModel: Rule = ({ request: { model, output_config: config } }, report) => {
  const named = versionOf(model);
  if (!named || config?.effort === undefined || config.effort === null) return;
  if (named.version < (named.family === "opus" ? OPUS_EFFORT_FROM : EFFORT_FROM))
    report("output_config.effort", "is not supported for this model");
};

/** Newer models reject sampling parameters. */
export const samplingFitsTheModel: Rule = ({ request }, report) => {
  if ((versionOf(request.model)?.version ?? 0) < NO_SAMPLING_FROM) return;
  const { temperature = 1, top_p: topP = 1, top_k: topK } = request;
  if (temperature !== 1) report("temperature", "is not supported for this model");
  if (topP !== 1) report("top_p", "is not supported for this model");
  if (topK !== undefined) report("top_k", "is not supported for this model");
};
