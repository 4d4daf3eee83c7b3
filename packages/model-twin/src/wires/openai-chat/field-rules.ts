import { at } from "../../shape.ts";
import { judgeFunction, judgeUniqueNames } from "../openai/function-rules.ts";
import { judgeJsonFormat } from "../openai/json-format.ts";
import { judgeModelFields } from "../openai/model-rules.ts";
import { functionsOf } from "./request.ts";
import type { Rule } from "./rule.ts";

export const toolNamesAreUnique: Rule = ({ request }, report) => {
  const named = functionsOf(request).map(({ tool, where }) => ({ name: tool.function.name, where: `${where}.name` }));
  judgeUniqueNames(named, report);
};

export const functionsAreWellFormed: Rule = ({ request }, report) => {
  for (const { tool, where } of functionsOf(request)) judgeFunction(tool.function, where, report);
};

export const toolFieldsHaveTools: Rule = ({ request }, report) => {
  const { tools, tool_choice: choice, parallel_tool_calls: parallel } = request;
  if (!tools && choice !== undefined && choice !== null && choice !== "none")
    report("tool_choice", "can only be given together with tools");
  if (!tools && parallel !== undefined && parallel !== null)
    report("parallel_tool_calls", "can only be given together with tools");
  if (!tools || typeof choice !== "object" || choice === null) return;
  const { name } = choice.function;
  if (!functionsOf(request).some(({ tool }) => tool.function.name === name))
    report("tool_choice.function.name", `there is no tool "${name}" in tools`);
};

export const oneTokenLimit: Rule = ({ request }, report) => {
  if (typeof request.max_tokens === "number" && typeof request.max_completion_tokens === "number")
    report("max_tokens", "cannot be given together with max_completion_tokens");
};

export const fieldsFitTheModel: Rule = ({ request, options }, report) => {
  const fields = { onlyReasoning: ["reasoning_effort"], neverReasoning: { max_tokens: "max_completion_tokens" } };
  judgeModelFields(request, options, fields, report);
};

export const formatIsPossible: Rule = ({ request }, report) => {
  const { response_format: format, messages } = request;
  if (!format) return;
  const where = { schema: at("response_format", "json_schema"), prompt: "messages" };
  judgeJsonFormat({ ...format.json_schema, type: format.type }, messages, where, report);
};
