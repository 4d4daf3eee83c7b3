import type { EventHandler, EventName, HandlerOptions, ToolDefinition } from "@quoll/extension-api";
import { oneLine } from "@quoll/terminal-text/one-line";
import { z } from "zod";
import { nearestName } from "../../contracts/did-you-mean.ts";
import { CONFIGURABLE_EVENTS, isConfigurable } from "../../contracts/hook-events.ts";
import { orUndefined } from "../../contracts/or-undefined.ts";

const MAX_TIMEOUT_MS = 3_600_000;
const MAX_NAME_COLUMNS = 40;
/** The person waits for a handler. */
const MAX_HANDLER_MS = 60_000;
const MAX_DESCRIPTION_CHARS = 4_000;
const MAX_SCHEMA_CHARS = 32_000;

const MAX_MODELS = 100;
const MODEL = /^[\w.:/@+-]{1,100}$/;

const functionSchema = z.custom<(...given: readonly unknown[]) => unknown>(
  (value) => typeof value === "function",
  "must be a function",
);
const timeoutMs = z.number().int().min(1).max(MAX_TIMEOUT_MS).optional();

const toolSchema = z.object({
  name: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_-]{0,58}$/, "must be 1 to 59 letters, digits, _ and -, beginning with a letter"),
  description: z.string().min(1).max(MAX_DESCRIPTION_CHARS),
  input: z
    .looseObject({ type: z.literal("object") })
    .refine(isShort, `must be plain JSON of at most ${MAX_SCHEMA_CHARS} characters`),
  level: z.enum(["none", "read", "write", "execute", "network"]),
  subjects: functionSchema.optional(),
  isConcurrencySafe: z.boolean().optional(),
  timeoutMs,
  run: functionSchema,
});

const commandSchema = z.object({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9_-]{0,39}$/, "must be 1 to 40 small letters, digits, _ and -, beginning with a letter"),
  summary: z.string().min(1).max(MAX_DESCRIPTION_CHARS),
  argumentHint: z.string().optional(),
  timeoutMs,
  run: functionSchema,
});

const handlerSchema = z.object({
  event: z.custom<EventName>((value) => typeof value === "string" && isConfigurable(value), {
    error: ({ input }) => unknownEvent(String(input)),
  }),
  handler: functionSchema,
  options: z.object({
    matcher: z.string().optional(),
    timeoutMs: z.number().int().min(1).max(MAX_HANDLER_MS).optional(),
    onFailure: z.enum(["continue", "block"]).optional(),
  }),
});

const rendererSchema = z.object({
  language: z.string().regex(/^[a-z0-9_+-]{1,30}$/, "must be 1 to 30 small letters, digits, _, + and -"),
  line: functionSchema,
});

const providerSchema = z.object({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,39}$/, "must be 1 to 40 small letters, digits and -, beginning with a letter"),
  models: z.array(z.string().regex(MODEL, "must be a name without blanks")).max(MAX_MODELS).optional(),
  answer: functionSchema,
});

function unknownEvent(name: string): string {
  const nearest = nearestName(name, CONFIGURABLE_EVENTS);
  const shown = JSON.stringify(oneLine(name, MAX_NAME_COLUMNS));
  return `there is no event ${shown}${nearest === undefined ? "" : `; the nearest is ${nearest}`}`;
}

/** A function that an extension wants to be called at an event. */
export type RegisteredHandler = {
  readonly event: EventName;
  readonly handler: EventHandler;
  readonly options: HandlerOptions;
};

/** A tool whose input Quoll has checked against the tool's own schema. */
export type AnyTool = ToolDefinition<Readonly<Record<string, unknown>>>;

function isShort(schema: unknown): boolean {
  return orUndefined(() => JSON.stringify(schema).length <= MAX_SCHEMA_CHARS) ?? false;
}

/** The forms of what an extension registers, by the method of the API. */
const SCHEMAS = {
  defineTool: toolSchema,
  defineCommand: commandSchema,
  on: handlerSchema,
  defineRenderer: rendererSchema,
  defineProvider: providerSchema,
} as const;

/** @throws {Error} one line: what the extension gave to this method is malformed. */
export function checkDefinition(method: keyof typeof SCHEMAS, definition: unknown): void {
  const parsed = SCHEMAS[method].safeParse(definition);
  if (parsed.success) return;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join(".") ?? "";
  throw new Error(`${method}: ${where === "" ? "" : `${where}: `}${issue?.message ?? "it is malformed"}`);
}
