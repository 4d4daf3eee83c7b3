import type { MessageCreateParamsStreaming } from "@anthropic-ai/sdk/resources/messages";
import { errorWords, field } from "../request/error-body.ts";
import type { Extra } from "./to-request.ts";

/** Which part of a request a server refused because it does not know it; undefined for any other failure. */
export function refusedExtra(error: unknown, body: MessageCreateParamsStreaming): Extra | undefined {
  if (field(error, "status") !== 400) return undefined;
  const { type = "", text = "" } = errorWords(field(error, "error"));
  const words = `${type} ${text}`;
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
