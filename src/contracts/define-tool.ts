import { z } from "zod";
import { InvalidInputError } from "./errors.ts";
import type { DeclaredTool, JsonSchema, Tool, ToolCall, ToolContext } from "./tool.ts";
import { coerceInput, explainIssues } from "./tool-input.ts";

/**
 * Joins a declaration to the parser of its input and to its handler, so that no code outside this function sees unparsed
 * input. The function corrects the usual mistakes of models in the input's form (aliases, strings for numbers, null for
 * absent) and names each correction.
 */
export function defineTool<Schema extends z.ZodObject>(
  spec: DeclaredTool,
  input: Schema,
  prepare: (input: z.infer<Schema>, context: ToolContext) => Promise<Omit<ToolCall, "input" | "corrections">>,
): Tool {
  return {
    spec,
    async prepare(raw, context) {
      const { value, corrections } = coerceInput(raw, input, spec.aliases);
      const parsed = input.safeParse(value);
      if (!parsed.success) throw new InvalidInputError(explainIssues(spec.name, parsed.error, input));
      const call = await prepare(parsed.data, context);
      return { ...call, input: parsed.data, corrections };
    },
  };
}

/** The JSON schema that a model is sent for the input of a tool. */
export function inputSchemaOf(input: z.ZodObject): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input", override: withoutUsualBounds });
  return { ...schema, additionalProperties: false };
}

/**
 * Removes what models respect or assume without being told, because it costs tokens in each first request; the parser
 * enforces it.
 */
function withoutUsualBounds({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.minLength === 1) delete jsonSchema.minLength;
  if (jsonSchema.minimum === 0 || jsonSchema.minimum === 1) delete jsonSchema.minimum;
  if (jsonSchema.exclusiveMinimum === 0) delete jsonSchema.exclusiveMinimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  delete jsonSchema.maxLength;
  // Nothing and an empty list mean the same as their absence.
  if (jsonSchema.default === 0 || (Array.isArray(jsonSchema.default) && jsonSchema.default.length === 0))
    delete jsonSchema.default;
  // An empty schema allows what its absence allows.
  const { additionalProperties: more } = jsonSchema;
  if (typeof more === "object" && Object.keys(more).length === 0) delete jsonSchema.additionalProperties;
}
