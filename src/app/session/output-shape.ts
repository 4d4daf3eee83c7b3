import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import type { SessionConfig } from "../../contracts/session-config.ts";
import type { OutputShape } from "../../engine/structured-output.ts";

/**
 * Converts a JSON schema to a check of answers. The validator is loaded only here.
 * @throws {UserFacingError} (exit 2) the value is not a schema.
 */
export async function outputShape({
  schema,
  source,
}: NonNullable<SessionConfig["outputSchema"]>): Promise<OutputShape> {
  const [{ AjvJsonSchemaValidator }, { withoutUnknownFormats }] = await Promise.all([
    import("@modelcontextprotocol/sdk/validation/ajv"),
    import("../../services/mcp/tools/input-checker.ts"),
  ]);
  // The name of the dialect would make the validator look for a document that it does not have.
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
    throw new UserFacingError(`${source} is not a JSON schema: ${schemaProblem(errorMessage(error))}`, 2, {
      cause: error,
    });
  }
}

/** The validator's words about a wrong schema, as a person understands them. */
function schemaProblem(words: string): string {
  return words
    .replace(/\s+/g, " ")
    .replace(
      /^type must be JSONType or JSONType\[\]: (.*)$/,
      '"$1" is not a type: use string, number, integer, boolean, object, array or null',
    )
    .replace(/^(\w+) value must be \["(\w+)"\]$/, '"$1" must be of the type $2');
}
