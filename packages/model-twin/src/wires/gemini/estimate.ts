import { isObject } from "../../shape.ts";
import { jsonTokens, MEDIA_TOKENS, MESSAGE_TOKENS, textTokens } from "../tokens.ts";
import type { Content, GenerateRequest, Part } from "./request.ts";

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

function valueTokens(value: unknown): number {
  if (typeof value === "string") return textTokens(value);
  if (Array.isArray(value)) return sum(value.map(valueTokens));
  return isObject(value) ? sum(Object.values(value).map(valueTokens)) : 1;
}

function partTokens({ text, inlineData, fileData, functionCall: call, functionResponse: response }: Part): number {
  if (inlineData || fileData) return MEDIA_TOKENS;
  if (call) return textTokens(call.name ?? "") + jsonTokens(call.args ?? {});
  if (response) return valueTokens(response.response) + sum((response.parts ?? []).map(partTokens));
  return textTokens(text ?? "");
}

const contentTokens = ({ parts = [] }: Content) => sum(parts.map(partTokens));

/** Tokens of a prompt: its instruction, its contents, its tools. Rough, deterministic, always at least 1. */
export function promptTokens({ contents = [], systemInstruction, tools = [] }: GenerateRequest): number {
  const instruction = systemInstruction ? contentTokens(systemInstruction) : 0;
  const declared = tools.length > 0 ? jsonTokens(tools) : 0;
  return Math.max(1, instruction + declared + sum(contents.map((content) => MESSAGE_TOKENS + contentTokens(content))));
}
