import type { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import type { JsonObject } from "../../contracts/message.ts";
import type { CheckInput } from "./mcp-tool.ts";
import { sanitizeSchema } from "./sanitize-schema.ts";

/** What the validator knows; it writes a warning to the terminal about any other. */
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
 * Makes checks of inputs out of a server's schemas. A schema that the validator can't compile (a reference to nowhere, a pattern
 * of another language) checks nothing: the server itself judges then.
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

/** A schema without the formats that the validator does not know: it would write a line about each to the terminal. */
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
