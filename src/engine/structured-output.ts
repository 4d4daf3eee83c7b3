import { errorMessage } from "../contracts/errors.ts";
import type { JsonSchema } from "../contracts/tool.ts";

/** The shape that an answer must have. */
export type OutputShape = {
  readonly schema: JsonSchema;
  /** @returns what is wrong, in one line; undefined when it fits. */
  check(value: unknown): string | undefined;
};

export type Structured = { readonly value: unknown } | { readonly problem: string };

/** Models like to put JSON into a fence. */
const FENCED = /^```(?:json)?[ \t]*\n([\s\S]*?)\n?```$/;

/** Reads an answer as JSON of a shape. */
export function readStructured(text: string, shape: OutputShape): Structured {
  const trimmed = text.trim();
  let value: unknown;
  try {
    value = JSON.parse(FENCED.exec(trimmed)?.[1] ?? trimmed);
  } catch (error) {
    return { problem: `it is no JSON (${errorMessage(error)})` };
  }
  const problem = shape.check(value);
  return problem === undefined ? { value } : { problem };
}
