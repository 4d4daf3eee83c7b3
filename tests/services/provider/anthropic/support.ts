import { startTwin } from "@quoll/model-twin/server";
import type { Message, UserBlock } from "../../../../src/contracts/message.ts";
import type { ProviderEvent, ProviderRequest } from "../../../../src/contracts/provider.ts";
import { anthropicProvider } from "../../../../src/services/provider/anthropic/anthropic-provider.ts";
import { modelCatalog } from "../../../../src/services/provider/catalog.ts";
import { fakeClock } from "../../../support/fake-clock.ts";

export const KEY = "sk-test-very-secret";
export const MODEL = "claude-sonnet-5-5";
export const READ = {
  name: "Read",
  description: "Reads a file.",
  inputSchema: { type: "object", properties: { file_path: { type: "string" } } },
} as const;

let ids = 0;

export function user(...content: readonly (UserBlock | string)[]): Message {
  const blocks = content.map((item) => (typeof item === "string" ? ({ type: "text", text: item } as const) : item));
  ids += 1;
  return { role: "user", id: `u${ids}`, content: blocks };
}

export function result(toolUseId: string, content: string, isError = false): UserBlock {
  return { type: "tool_result", toolUseId, content, isError };
}

export function assistant(content: Extract<Message, { role: "assistant" }>["content"], model = MODEL): Message {
  const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
  ids += 1;
  return { role: "assistant", id: `a${ids}`, model, content, stopReason: "end_turn", usage };
}

export function asked(
  messages: readonly Message[] = [user("Hello.")],
  extra: Partial<ProviderRequest> = {},
): ProviderRequest {
  return { model: MODEL, system: "Be brief.", messages, tools: [READ], maxTokens: 1_000, ...extra };
}

/** Neighbouring pieces of a block as one: how many of them come together depends on the network. */
export function joinedPieces(events: readonly ProviderEvent[]): readonly ProviderEvent[] {
  const told: ProviderEvent[] = [];
  for (const event of events) {
    const last = told.at(-1);
    if (last?.type === "tool_input_delta" && event.type === last.type && event.toolUseId === last.toolUseId)
      told.splice(-1, 1, { ...last, json: last.json + event.json });
    else if ((last?.type === "text_delta" || last?.type === "thinking_delta") && event.type === last.type)
      told.splice(-1, 1, { ...last, text: last.text + event.text });
    else told.push(event);
  }
  return told;
}

/** A provider on a clock that is moved by hand, without jitter. */
export function providerAt(baseUrl: string, options: { authToken?: string; apiKey?: string } = { apiKey: KEY }) {
  const clock = fakeClock();
  const provider = anthropicProvider({ ...options, baseUrl, catalog: modelCatalog(), clock, random: () => 0.5 });
  return { provider, clock };
}

/** Freezes a value deeply, so that code that changes it throws. */
export function deepFrozen<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) deepFrozen(item);
  }
  return value;
}

/**
 * Reads a stream to its end in the background. `until` waits for an event of a kind (the nth, from 1).
 * Neighbouring deltas are kept as they came.
 */
export function reading(stream: AsyncIterable<ProviderEvent>) {
  const events: ProviderEvent[] = [];
  let wake = Promise.withResolvers<void>();
  const stir = () => {
    wake.resolve();
    wake = Promise.withResolvers();
  };
  let isOver = false;
  const end = (async () => {
    try {
      for await (const event of stream) {
        events.push(event);
        stir();
      }
      return undefined;
    } catch (error) {
      return error;
    } finally {
      isOver = true;
      stir();
    }
  })();
  const until = async (type: ProviderEvent["type"], count = 1): Promise<void> => {
    while (events.filter((event) => event.type === type).length < count) {
      if (isOver)
        throw new Error(`The stream ended without ${count} × ${type}: ${JSON.stringify(events)} ${await end}`);
      await wake.promise;
    }
  };
  return { events, until, end };
}

/** Lets the time of each retry pass, and no more, until the stream is over. @returns the error that it threw. */
export async function throughTime(read: ReturnType<typeof reading>, clock: ReturnType<typeof fakeClock>) {
  let isOver = false;
  void read.end.then(() => {
    isOver = true;
  });
  for (let waited = 0; !isOver; ) {
    const retry = read.events.filter((event) => event.type === "retry")[waited];
    if (retry && clock.sleeping > 0) {
      waited += 1;
      await clock.advance(retry.delayMs);
    } else await Bun.sleep(1);
  }
  return read.end;
}

/** All events of a stream. */
export async function eventsOf(stream: AsyncIterable<ProviderEvent>): Promise<readonly ProviderEvent[]> {
  const read = reading(stream);
  const error = await read.end;
  if (error !== undefined) throw error;
  return read.events;
}

export function doneOf(events: readonly ProviderEvent[]) {
  const last = events.at(-1);
  if (last?.type !== "done") throw new Error(`The last event is no done: ${JSON.stringify(last)}`);
  return last.message;
}

export const never = () => new AbortController().signal;

/** Plays the scenario from its start to its end, letting time pass over retries. */
export async function played(scenario: Parameters<typeof startTwin>[0]["scenario"], request = asked()) {
  await using twin = await startTwin({ scenario });
  const { provider, clock } = providerAt(twin.url);
  const read = reading(provider.stream(request, never()));
  const error = await throughTime(read, clock);
  return { events: read.events, error, requests: [...twin.requests] };
}

export const kinds = (events: readonly ProviderEvent[]) => events.map(({ type }) => type);
export const retries = (events: readonly ProviderEvent[]) => events.filter((event) => event.type === "retry");
