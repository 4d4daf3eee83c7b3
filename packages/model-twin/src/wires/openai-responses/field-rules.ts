import { judgeFunction, judgeUniqueNames } from "../openai/function-rules.ts";
import { judgeJsonFormat } from "../openai/json-format.ts";
import { judgeModelFields, reasons } from "../openai/model-rules.ts";
import { asksForEncrypted, asksForSearch, functionsOf } from "./request.ts";
import type { Rule } from "./rule.ts";

export const toolNamesAreUnique: Rule = ({ request }, report) => {
  judgeUniqueNames(
    functionsOf(request).map(({ tool: { name }, where }) => ({ name, where: `${where}.name` })),
    report,
  );
};

export const functionsAreWellFormed: Rule = ({ request }, report) => {
  for (const { tool, where } of functionsOf(request)) judgeFunction(tool, where, report);
};

export const toolChoiceIsPossible: Rule = ({ request }, report) => {
  const { tools = [], tool_choice: choice } = request;
  if (choice === "required" && tools.length === 0) report("tool_choice", "can only be given together with tools");
  if (typeof choice !== "object" || choice === null) return;
  if (choice.type === "web_search") {
    if (!asksForSearch(request)) report("tool_choice", "there is no tool of the type web_search in tools");
  } else if (!functionsOf(request).some(({ tool }) => tool.name === choice.name))
    report("tool_choice.name", `there is no tool "${choice.name}" in tools`);
};

export const parallelCallsHaveTools: Rule = ({ request: { tools, parallel_tool_calls: parallel } }, report) => {
  if (!tools?.length && parallel !== undefined && parallel !== null)
    report("parallel_tool_calls", "can only be given together with tools");
};

export const fieldsFitTheModel: Rule = ({ request, options }, report) => {
  judgeModelFields(request, options, { onlyReasoning: ["reasoning"], neverReasoning: {} }, report);
  if (asksForEncrypted(request) && reasons(request, options) === false)
    report("include", "is not supported with this model: it has no encrypted reasoning", "unsupported_parameter");
};

export const formatIsPossible: Rule = ({ request }, report) => {
  const format = request.text?.format;
  if (!format) return;
  const prompt = [request.instructions, request.input];
  judgeJsonFormat(format, prompt, { schema: "text.format", prompt: "input" }, report);
};
