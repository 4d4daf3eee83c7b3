import { resolve } from "node:path";
import { z } from "zod";
import type { BatchExpect } from "../../contracts/batch.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import { readSmallText } from "../../platform/private-file.ts";
import { assertFillable, type ExpectTemplate, fillExpect } from "../../services/batch/batch-expect.ts";
import { type BatchInput, offeredNames } from "../../services/batch/batch-inputs.ts";
import { outputShape } from "../session/output-shape.ts";

const MAX_SCHEMA_BYTES = 1024 * 1024;
const jsonObject = z.record(z.string(), z.unknown());

/**
 * Reads the schema of a contract now, so that a later run uses the same schema.
 * @param cwd The folder for relative paths.
 * @throws {UserFacingError} the schema can't be used.
 */
export async function expectOf({ files, command, schemaFile }: BatchExpect, cwd: string): Promise<ExpectTemplate> {
  const given = { ...(files && { files: [...files] }), ...(command !== undefined && { command }) };
  if (schemaFile === undefined) return given;
  const text = await readSmallText(resolve(cwd, schemaFile), MAX_SCHEMA_BYTES).catch(() => undefined);
  if (text === undefined) throw new UserFacingError(`--schema: the file ${schemaFile} can't be read.`);
  const { data: schema } = jsonObject.safeParse(parsedJson(text));
  if (!schema) throw new UserFacingError(`--schema: ${schemaFile} holds no JSON object.`);
  await outputShape({ schema, source: `--schema: ${schemaFile}` });
  return { ...given, schema };
}

/** The contracts of all inputs. @throws {UserFacingError} a contract can't be filled in. */
export function contractsOf(expect: ExpectTemplate, inputs: readonly BatchInput[]): readonly ExpectTemplate[] {
  const offered = offeredNames(inputs);
  assertFillable(expect, offered);
  return inputs.map((input) => fillExpect(expect, input, offered));
}

/** A contract for the person, one phrase for each part. */
export function checksOf({ files = [], command, schema }: ExpectTemplate = {}): readonly string[] {
  const changed = files.length > 0 ? [`changed: ${files.join(", ")}`] : [];
  const passes = command === undefined ? [] : [`passes: ${command}`];
  return [...changed, ...passes, ...(schema ? ["the answer fits the schema"] : [])];
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
