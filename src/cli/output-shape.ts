import { errorMessage, UserFacingError } from "../contracts/errors.ts";
import type { JsonObject } from "../contracts/message.ts";
import type { OutputShape } from "../engine/structured-output.ts";

const EXAMPLE = '{"type":"object","properties":{…}}';

/**
 * A JSON schema as the shape that answers must have. The validator is loaded for it.
 * @param source What it is called in messages: `--json-schema`.
 * @throws {UserFacingError} (exit 2) it is no schema.
 */
export async function outputShape(schema: JsonObject, source: string): Promise<OutputShape> {
  const [{ AjvJsonSchemaValidator }, { withoutUnknownFormats }] = await Promise.all([
    import("@modelcontextprotocol/sdk/validation/ajv"),
    import("../services/mcp/input-checker.ts"),
  ]);
  // The dialect's name would make the validator look for a document that it doesn't have.
  const { $schema: _, ...plain } = schema;
  try {
    const validate = new AjvJsonSchemaValidator().getValidator(withoutUnknownFormats(plain));
    return {
      schema: plain,
      check: (value) => {
        const result = validate(value);
        return result.valid ? undefined : result.errorMessage.replace(/(^|, )data(?=[/ ])/g, "$1the answer");
      },
    };
  } catch (error) {
    throw new UserFacingError(`${source} is no JSON schema: ${errorMessage(error).replace(/\s+/g, " ")}`, 2, {
      cause: error,
    });
  }
}

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
