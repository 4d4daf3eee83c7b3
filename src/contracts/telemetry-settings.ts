import { z } from "zod";

export const TELEMETRY_SIGNALS = ["traces", "metrics", "logs"] as const;
export const TELEMETRY_PROTOCOLS = ["http/protobuf", "http/json"] as const;
/** The `telemetry` section: the data that Quoll sends to the user's own collector. */
export const telemetrySettingsSchema = z.object({
  enabled: z.boolean().optional().describe("Turns telemetry on (default false)"),
  endpoint: z
    .string()
    .min(1)
    .optional()
    .describe("Address of an OTLP collector, such as http://127.0.0.1:4318; /v1/traces and so on are added"),
  protocol: z.enum(TELEMETRY_PROTOCOLS).optional().describe("Protocol of the collector (default http/protobuf)"),
  headers: z
    .record(z.string(), z.string())
    .optional()
    .describe("Headers of every request to the collector, such as Authorization"),
  signals: z.array(z.enum(TELEMETRY_SIGNALS)).optional().describe("Signals to send (default all)"),
  content: z
    .boolean()
    .optional()
    .describe("Also sends prompts, answers, tool inputs and tool results, without credentials (default false)"),
});

export type TelemetrySettings = z.infer<typeof telemetrySettingsSchema>;
