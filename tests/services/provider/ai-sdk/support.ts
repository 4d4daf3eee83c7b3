import type { Scenario } from "@quoll/model-twin/scenario";
import { startTwin, type TwinOptions } from "@quoll/model-twin/server";
import type { Message } from "../../../../src/contracts/message.ts";
import type { ModelCatalog } from "../../../../src/contracts/ports.ts";
import type { ModelCapabilities, ProviderRequest } from "../../../../src/contracts/provider.ts";
import type { EndpointQuirks } from "../../../../src/contracts/provider-settings.ts";
import { type AiSdkOptions, aiSdkProvider } from "../../../../src/services/provider/ai-sdk/ai-sdk-provider.ts";
import { compatibleWire } from "../../../../src/services/provider/ai-sdk/compatible-wire.ts";
import { googleWire } from "../../../../src/services/provider/ai-sdk/google-wire.ts";
import { openAiWire } from "../../../../src/services/provider/ai-sdk/openai-wire.ts";
import type { Wire } from "../../../../src/services/provider/ai-sdk/wire.ts";
import { fakeClock } from "../../../support/fake-clock.ts";
import { asked as askedAnthropic, never, reading, throughTime, user } from "../anthropic/support.ts";

export const KEY = "sk-test-very-secret";
/** One that the SDK knows to reason, so that encrypted reasoning is asked for. */
export const MODEL = "gpt-5";

export const ABLE: ModelCapabilities = {
  contextWindow: 200_000,
  maxOutputTokens: 32_000,
  images: true,
  documents: true,
  thinking: true,
  tools: true,
  parallelCalls: true,
  efforts: ["low", "medium", "high"],
  known: true,
};

export function catalogOf(capabilities: Partial<ModelCapabilities> = {}): ModelCatalog {
  return {
    resolve: (name) => name,
    capabilities: () => ({ ...ABLE, ...capabilities }),
    cost: async () => undefined,
    list: () => [],
  };
}

export const KINDS = ["responses", "chat", "compatible", "google"] as const;
export type Kind = (typeof KINDS)[number];
const GEMINI = "gemini-3-pro-preview";

export const modelOf = (kind: Kind) => (kind === "google" ? GEMINI : MODEL);
/** Where a twin serves this wire. */
export const placeOf = (kind: Kind, twin: { readonly url: string }) =>
  `${twin.url}${kind === "google" ? "/v1beta" : "/v1"}`;

export function wireOf(kind: Kind, quirks: EndpointQuirks = {}): Wire {
  if (kind === "compatible") return compatibleWire(quirks);
  return kind === "google" ? googleWire(quirks) : openAiWire(kind, quirks);
}

export const asked = (messages?: readonly Message[], extra: Partial<ProviderRequest> = {}): ProviderRequest =>
  askedAnthropic(messages, { model: MODEL, ...extra });

/** A provider on a clock that is moved by hand, without jitter. */
export function providerAt(baseUrl: string, wire: Wire, options: Partial<AiSdkOptions> = {}) {
  const clock = fakeClock();
  const { host } = new URL(baseUrl);
  const provider = aiSdkProvider({
    name: "openai",
    wire,
    baseUrl: { url: baseUrl, host, isLoopback: true },
    addressFrom: "OPENAI_BASE_URL",
    apiKey: KEY,
    keyFrom: "OPENAI_API_KEY",
    catalog: catalogOf(),
    clock,
    random: () => 0.5,
    ...options,
  });
  return { provider, clock };
}

export type PlayOptions = {
  readonly request?: ProviderRequest;
  readonly twin?: Partial<TwinOptions>;
  readonly quirks?: EndpointQuirks;
  readonly options?: Partial<AiSdkOptions>;
};

/** Plays the scenario over one wire from its start to its end, letting time pass over retries. */
export async function played(
  kind: Kind,
  scenario: Scenario,
  { request = asked(), twin: given, quirks, options }: PlayOptions = {},
) {
  await using twin = await startTwin({ ...given, scenario });
  const { provider, clock } = providerAt(placeOf(kind, twin), wireOf(kind, quirks), options);
  const model = request.model === MODEL ? modelOf(kind) : request.model;
  const read = reading(provider.stream({ ...request, model }, never()));
  const error = await throughTime(read, clock);
  return { events: read.events, error, requests: [...twin.requests] };
}

export { never, reading, throughTime, user };
