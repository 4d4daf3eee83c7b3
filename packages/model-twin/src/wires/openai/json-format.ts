import {
  anyBoolean,
  anyObject,
  anyString,
  at,
  type Check,
  type Fields,
  matching,
  nullable,
  object,
  type Report,
} from "../../shape.ts";
import { judgeStrict } from "./function-rules.ts";

const FORMAT_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** The fields of a JSON format with a schema, wherever the wire puts them. */
export const jsonSchemaFormat = (own: Fields = {}): Check =>
  object(
    { ...own, name: matching(FORMAT_NAME), schema: anyObject },
    { description: nullable(anyString), strict: nullable(anyBoolean) },
  );

export type JsonFormat = {
  readonly type: string;
  readonly name?: string;
  readonly schema?: Readonly<Record<string, unknown>>;
  readonly strict?: boolean | null;
};

/** A strict schema must close its objects; the mode `json_object` requires the word JSON in the model's input. */
export function judgeJsonFormat(
  { type, schema, strict }: JsonFormat,
  prompt: unknown,
  where: { readonly schema: string; readonly prompt: string },
  report: Report,
): void {
  if (type === "json_schema" && strict && schema)
    judgeStrict(schema, at(where.schema, "schema"), report, "invalid_json_schema");
  if (type === "json_object" && !/json/i.test(JSON.stringify(prompt)))
    report(where.prompt, "must hold the word json somewhere while the format is json_object");
}
