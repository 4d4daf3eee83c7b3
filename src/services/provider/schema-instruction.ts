import type { JsonSchema } from "../../contracts/tool.ts";

/** Adds the answer's schema to the system prompt, for servers without full support for structured output. */
export function withSchemaInstruction(system: string, schema: JsonSchema): string {
  return `${system}\n\nAnswer with JSON alone, of this schema: ${JSON.stringify(schema)}`.trimStart();
}
