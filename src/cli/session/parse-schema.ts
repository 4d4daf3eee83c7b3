import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import type { JsonObject } from "../../contracts/message.ts";

const EXAMPLE = '{"type":"object","properties":{…}}';

/** @throws {UserFacingError} (exit 2) the text is not JSON, or no object. */
export function parseSchema(text: string, source: string): JsonObject {
  const value = parseJson(text, source);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new UserFacingError(`${source}: expected a JSON schema, such as ${EXAMPLE}.`, 2);
  return { ...value };
}

/** @throws {UserFacingError} (exit 2) the text is not JSON. */
export function parseJson(text: string, source: string): unknown {
  if (text.trim() === "") throw new UserFacingError(`${source} is empty: expected JSON.`, 2);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UserFacingError(`${source} is not JSON: ${errorMessage(error)}.`, 2, { cause: error });
  }
}
