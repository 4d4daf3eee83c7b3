import type { JsonSchema } from "../../../contracts/tool.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Cache by the original schema. */
const formats = new WeakMap<JsonSchema, JsonSchema | undefined>();

/**
 * A schema in the form of structured outputs: each object is closed, and unsupported constraints move to its description. The engine
 * still checks answers against the original schema.
 * Source: Anthropic's guide "Structured outputs", "JSON Schema limitations"; the conversion is the SDK's.
 * @returns undefined for a schema that cannot be converted: an object with arbitrary keys, which closing would empty, or
 * a part without a type.
 */
export async function answerFormat(schema: JsonSchema): Promise<JsonSchema | undefined> {
  if (formats.has(schema)) return formats.get(schema);
  const { transformJSONSchema } = await import("@anthropic-ai/sdk/lib/transform-json-schema");
  const format = hasOpenObject(schema) ? undefined : converted(schema, transformJSONSchema);
  formats.set(schema, format);
  return format;
}

function converted(schema: JsonSchema, convert: (schema: Record<string, unknown>) => Schema): JsonSchema | undefined {
  try {
    return convert({ ...schema });
  } catch {
    return undefined;
  }
}

function hasOpenObject(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasOpenObject);
  if (!isSchema(value)) return false;
  const { type, properties, additionalProperties, patternProperties } = value;
  const isObject = type === "object" || (Array.isArray(type) && type.includes("object"));
  const hasNames = isSchema(properties) && Object.keys(properties).length > 0;
  const isFree = isObject && !hasNames && additionalProperties !== false;
  if (isFree || isSchema(additionalProperties) || patternProperties !== undefined) return true;
  return Object.values(value).some(hasOpenObject);
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
