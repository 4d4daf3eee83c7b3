import type { Report } from "../../shape.ts";
import { FUNCTION_NAME } from "./call-rules.ts";
import type { FunctionDeclaration, GenerateRequest } from "./request.ts";
import type { Rule } from "./rule.ts";
import { judgeJsonSchema, judgeSchema } from "./schema-rules.ts";

type Placed = { readonly declaration: FunctionDeclaration; readonly where: string };

export function declarationsOf({ tools = [] }: GenerateRequest): readonly Placed[] {
  return tools.flatMap(({ functionDeclarations = [] }, tool) =>
    functionDeclarations.map((declaration, index) => ({
      declaration,
      where: `tools[${tool}].function_declarations[${index}]`,
    })),
  );
}

export const toolsDeclareSomething: Rule = ({ request: { tools = [] } }, report) => {
  for (const [index, { functionDeclarations = [], googleSearch }] of tools.entries()) {
    if (functionDeclarations.length === 0 && googleSearch === undefined)
      report(`tools[${index}]`, "must have one initialized field");
  }
};

export const functionNamesAreValid: Rule = ({ request }, report) => {
  const seen = new Set<string>();
  for (const { declaration, where } of declarationsOf(request)) {
    const name = declaration.name ?? "";
    if (!FUNCTION_NAME.test(name))
      report(
        `${where}.name`,
        `invalid function name ${JSON.stringify(name)}: it must start with a letter or an underscore, and hold letters, digits, underscores, dots, colons and dashes only, at most 64`,
      );
    if (seen.has(name)) report(`${where}.name`, `duplicate function declaration found: ${name}`);
    seen.add(name);
  }
};

function judgePair(schema: unknown, jsonSchema: unknown, where: string, report: Report): void {
  if (schema !== undefined && jsonSchema !== undefined)
    report(where, "a schema of the API's own kind and a JSON schema cannot both be set");
}

export const functionSchemasAreValid: Rule = ({ request }, report) => {
  for (const { declaration, where } of declarationsOf(request)) {
    const { parameters, parametersJsonSchema, response, responseJsonSchema } = declaration;
    judgePair(parameters, parametersJsonSchema, `${where}.parameters`, report);
    judgePair(response, responseJsonSchema, `${where}.response`, report);
    if (parameters) judgeSchema(parameters, `${where}.parameters`, report);
    if (parameters && parameters.type !== "OBJECT")
      report(`${where}.parameters.type`, "must be OBJECT for the parameters of a function");
    if (response) judgeSchema(response, `${where}.response`, report);
    if (parametersJsonSchema !== undefined)
      judgeJsonSchema(parametersJsonSchema, `${where}.parameters_json_schema`, report);
    if (responseJsonSchema !== undefined) judgeJsonSchema(responseJsonSchema, `${where}.response_json_schema`, report);
  }
};

const WHERE = "tool_config.function_calling_config";

export const callingConfigIsPossible: Rule = ({ request }, report) => {
  const config = request.toolConfig?.functionCallingConfig;
  if (!config) return;
  const { mode, allowedFunctionNames: allowed = [] } = config;
  const names = declarationsOf(request).map(({ declaration }) => declaration.name);
  if (names.length === 0) report(WHERE, "function calling config is set without function_declarations");
  if (allowed.length > 0 && mode !== "ANY" && mode !== "VALIDATED")
    report(`${WHERE}.allowed_function_names`, "can only be set when the mode is ANY or VALIDATED");
  for (const [index, name] of allowed.entries()) {
    if (!names.includes(name))
      report(`${WHERE}.allowed_function_names[${index}]`, `there is no function ${JSON.stringify(name)}`);
  }
};
