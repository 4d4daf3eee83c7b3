import { OpenAiModelsWire } from "./openai/models-wire.ts";
import type { OpenAiOptions } from "./openai/options.ts";
import { OpenAiChatWire } from "./openai-chat/wire.ts";
import { OpenAiResponsesWire } from "./openai-responses/wire.ts";
import type { Wire } from "./wire.ts";

/** Everything that OpenAI serves: Chat Completions, Responses, the list of models. */
export function openAiWires(options: OpenAiOptions): readonly Wire[] {
  return [new OpenAiChatWire(options), new OpenAiResponsesWire(options), new OpenAiModelsWire(options)];
}
