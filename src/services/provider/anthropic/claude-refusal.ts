import type { MessageCreateParamsStreaming } from "@anthropic-ai/sdk/resources/messages";
import { mayBeTheKey } from "../request/api-key.ts";
import { refusedCount } from "../request/count-limit.ts";
import { errorWords, field } from "../request/error-body.ts";
import type { Refusal } from "../request/retrying-provider.ts";
import { statedLimits } from "../request/stated-limits.ts";
import type { Extra } from "./to-request.ts";

type ClaudeRefusal = Omit<Refusal, "simplify"> & {
  /** Undefined if the server gave no answer. */
  readonly status: number | undefined;
  /** The field that the server does not know. */
  readonly extra: Extra | undefined;
};

/** @param sent The body of the failed request. */
export function readRefusal(error: unknown, sent: MessageCreateParamsStreaming): ClaudeRefusal {
  const given = field(error, "status");
  const status = typeof given === "number" ? given : undefined;
  const body = field(error, "error");
  const { type = "", text = "" } = errorWords(body);
  const words = `${type} ${text}`;
  return {
    status,
    limits: status === 400 ? statedLimits(body, words) : undefined,
    count: refusedCount(words),
    extra: status === 400 ? refusedExtra(words, sent) : undefined,
    mayBeTheKey: mayBeTheKey(status, words),
  };
}

function refusedExtra(words: string, body: MessageCreateParamsStreaming): Extra | undefined {
  if (body.output_config?.format && /output_(config\.)?format|json_schema|structured output|\bschema\b/i.test(words)) {
    return "format";
  }
  if (body.output_config?.effort && /effort|output_config/i.test(words)) return "effort";
  if (body.thinking && /\bthinking\b/i.test(words)) return "thinking";
  return hasLongCache(body) && /\bttl\b/i.test(words) ? "cacheTtl" : undefined;
}

function hasLongCache({ system, tools }: MessageCreateParamsStreaming): boolean {
  const marked = [...(Array.isArray(system) ? system : []), ...(tools ?? [])];
  return marked.some((item) => "cache_control" in item && item.cache_control?.ttl === "1h");
}
