import type { Report } from "../../shape.ts";
import type { OpenAiOptions } from "./options.ts";

const UNSUPPORTED_VALUE = "unsupported_value";

/** Sampling parameters that a reasoning model accepts only with their default values. */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  logprobs: false,
};

type ModelRequest = { readonly model: string; readonly [field: string]: unknown };

/** True if a model reasons; undefined when nothing is known about any. */
export function reasons({ model }: ModelRequest, { reasoningModels }: OpenAiOptions): boolean | undefined {
  return reasoningModels?.includes(model);
}

/** Fields of `request` that its model does not accept. `hint` names the field to use instead. */
export function judgeModelFields(
  request: ModelRequest,
  options: OpenAiOptions,
  fields: { readonly onlyReasoning: readonly string[]; readonly neverReasoning: Readonly<Record<string, string>> },
  report: Report,
): void {
  const isReasoning = reasons(request, options);
  if (isReasoning === undefined) return;
  if (!isReasoning) {
    for (const name of fields.onlyReasoning) {
      if (request[name] !== undefined && request[name] !== null) report(name, "is not supported with this model");
    }
    return;
  }
  for (const [name, hint] of Object.entries(fields.neverReasoning)) {
    if (request[name] !== undefined && request[name] !== null)
      report(name, `is not supported with this model: use ${hint}`);
  }
  for (const [name, value] of Object.entries(DEFAULTS)) {
    const given = request[name];
    if (given !== undefined && given !== null && given !== value)
      report(name, `this model takes the default (${value}) only, not ${JSON.stringify(given)}`, UNSUPPORTED_VALUE);
  }
}

type Streamed = { readonly stream?: boolean | null | undefined; readonly stream_options?: unknown };

export function streamOptionsNeedAStream({ request }: { readonly request: Streamed }, report: Report): void {
  if (request.stream_options && !request.stream) report("stream_options", "can only be given when stream is true");
}
