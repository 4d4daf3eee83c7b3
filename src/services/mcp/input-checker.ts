import type { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import type { JsonObject } from "../../contracts/message.ts";
import type { CheckInput } from "./mcp-tool.ts";
import { sanitizeSchema } from "./sanitize-schema.ts";

/** Formats that the validator knows; it prints a warning to the terminal for any other. */
const FORMATS: ReadonlySet<string> = new Set([
  ...[
    "date",
    "time",
    "date-time",
    "iso-time",
    "iso-date-time",
    "duration",
    "uri",
    "uri-reference",
    "uri-template",
    "url",
  ],
  ...["email", "hostname", "ipv4", "ipv6", "regex", "uuid", "json-pointer", "json-pointer-uri-fragment"],
  ...["relative-json-pointer", "byte", "int32", "int64", "float", "double", "password", "binary"],
]);

/**
 * Compiles input checks from a server's schemas. A schema that the validator cannot compile (a broken reference, a pattern
 * of another regular expression dialect) checks nothing; the server itself then validates.
 */
export function inputChecker(validator: AjvJsonSchemaValidator): (schema: unknown) => CheckInput {
  return (schema) => {
    try {
      const validate = validator.getValidator(withoutUnknownFormats(sanitizeSchema(schema)));
      return (input) => {
        const result = validate(input);
        return result.valid ? undefined : result.errorMessage.replace(/(^|, )data(?=[/ ])/g, "$1input");
      };
    } catch {
      return () => undefined;
    }
  };
}

/** A schema without unknown formats, for which the validator would print warnings to the terminal. */
export function withoutUnknownFormats(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema)
    .filter(([key, value]) => !(key === "format" && typeof value === "string" && !FORMATS.has(value)))
    .map(([key, value]) => [key, key === "const" || key === "enum" ? value : within(value)] as const);
  return Object.fromEntries(entries);
}

function within(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(within);
  return typeof value === "object" && value !== null ? withoutUnknownFormats({ ...value }) : value;
}
