import { errorMessage } from "../contracts/errors.ts";
import type { JsonSchema } from "../contracts/tool.ts";

/** The schema that an answer must match. */
export type OutputShape = {
  readonly schema: JsonSchema;
  /** @returns the problem in one line; undefined if the answer matches. */
  check(value: unknown): string | undefined;
};

export type Structured = { readonly value: unknown } | { readonly problem: string };

/** Models often put JSON into a code fence. */
const FENCED = /^```(?:json)?[ \t]*\n([\s\S]*?)\n?```$/;

/** Reads an answer as JSON and checks it against a schema. */
export function readStructured(text: string, shape: OutputShape): Structured {
  const trimmed = text.trim();
  let value: unknown;
  try {
    value = JSON.parse(FENCED.exec(trimmed)?.[1] ?? trimmed);
  } catch (error) {
    return { problem: `it is not JSON (${errorMessage(error)})` };
  }
  const problem = shape.check(value);
  return problem === undefined ? { value } : { problem };
}
