import type { JsonObject } from "../../contracts/message.ts";
import type { Setting } from "../../contracts/setting.ts";
import { SETTINGS } from "../../contracts/settings-table.ts";

const LINE_CHARS = 120;

/** The JSON Schema of settings files as text, formatted as the linter of this repository requires. */
export function settingsSchemaText(): string {
  const text = JSON.stringify(settingsJsonSchema(), null, 2);
  return `${text.replace(/^( *)(.*)\[\n([^[\]{}]*)\n *\](,?)$/gm, shortList)}\n`;
}

/** Puts a list of plain values on one line if it fits. */
function shortList(whole: string, indent: string, before: string, items: string, comma: string): string {
  const line = `${indent}${before}[${items.replace(/\s*\n\s*/g, " ").trim()}]${comma}`;
  return line.length <= LINE_CHARS ? line : whole;
}

/** The JSON Schema (draft 2020-12) of a table of settings. */
export function settingsJsonSchema(table: Setting = SETTINGS): JsonObject {
  const defs: Record<string, JsonObject> = {};
  const schema = schemaOf(table, defs);
  return {
    title: "Quoll settings",
    $schema: "https://json-schema.org/draft/2020-12/schema",
    ...schema,
    ...(Object.keys(defs).length > 0 && { $defs: defs }),
  };
}

function schemaOf(setting: Setting, defs: Record<string, JsonObject>): JsonObject {
  const { about, id } = setting;
  const form = { ...(about !== undefined && { description: about }), ...formOf(setting, defs) };
  if (id === undefined) return form;
  defs[id] = form;
  return { $ref: `#/$defs/${id}` };
}

function formOf(setting: Setting, defs: Record<string, JsonObject>): JsonObject {
  switch (setting.type) {
    case "anything":
      return {};
    case "boolean":
      return { type: "boolean" };
    case "url":
      return { type: "string", format: "uri" };
    case "text":
    case "path":
      return { type: "string", ...bounds({ minLength: setting.min, maxLength: setting.max }), ...patternOf(setting) };
    case "number":
      return {
        type: "number",
        ...bounds({ exclusiveMinimum: setting.above, minimum: setting.min, maximum: setting.max }),
      };
    case "integer":
      return {
        type: "integer",
        minimum: setting.min ?? Number.MIN_SAFE_INTEGER,
        maximum: setting.max ?? Number.MAX_SAFE_INTEGER,
      };
    case "choice":
      return {
        type: "string",
        ...(setting.values.length === 1 ? { const: setting.values[0] } : { enum: setting.values }),
      };
    case "list":
      return { ...bounds({ minItems: setting.min }), type: "array", items: schemaOf(setting.of, defs) };
    case "map":
      return { type: "object", propertyNames: { type: "string" }, additionalProperties: schemaOf(setting.of, defs) };
    case "either":
      return { anyOf: setting.of.map((one) => schemaOf(one, defs)) };
    case "object": {
      const required = Object.keys(setting.keys).filter((name) => setting.keys[name]?.required);
      return {
        type: "object",
        properties: Object.fromEntries(Object.entries(setting.keys).map(([name, key]) => [name, schemaOf(key, defs)])),
        ...(required.length > 0 && { required }),
        additionalProperties: setting.others ? schemaOf(setting.others, defs) : false,
      };
    }
  }
}

function bounds(given: Readonly<Record<string, number | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as JsonObject;
}

function patternOf({ pattern }: { readonly pattern?: RegExp }): JsonObject {
  return pattern ? { pattern: pattern.source } : {};
}
