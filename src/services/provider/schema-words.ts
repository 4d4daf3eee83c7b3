import type { JsonSchema } from "../../contracts/tool.ts";

/** The system text of a request whose answer has a schema that the server is not, or not fully, told in a field of its own. */
export function withSchemaWords(system: string, schema: JsonSchema): string {
  return `${system}\n\nAnswer with JSON alone, of this schema: ${JSON.stringify(schema)}`.trimStart();
}
