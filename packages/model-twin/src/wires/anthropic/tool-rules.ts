import { at } from "../../shape.ts";
import type { ToolResultBlock, ToolUseBlock } from "./request.ts";
import type { Rule } from "./rule.ts";
import type { Turn } from "./turns.ts";

type PlacedUse = { readonly block: ToolUseBlock; readonly where: string };
type PlacedResult = { readonly block: ToolResultBlock; readonly where: string };

function usesOf(turn: Turn | undefined): readonly PlacedUse[] {
  return (turn?.blocks ?? []).flatMap(({ block, where }) => (block.type === "tool_use" ? [{ block, where }] : []));
}

function resultsOf(turn: Turn | undefined): readonly PlacedResult[] {
  return (turn?.blocks ?? []).flatMap(({ block, where }) => (block.type === "tool_result" ? [{ block, where }] : []));
}

export const toolNamesAreUnique: Rule = ({ request }, report) => {
  const seen = new Set<string>();
  for (const [index, { name }] of (request.tools ?? []).entries()) {
    if (seen.has(name)) report(at("tools", index), `tool names must be unique, and "${name}" was declared before`);
    seen.add(name);
  }
};

export const toolChoiceIsPossible: Rule = ({ request: { tools, tool_choice: choice, thinking } }, report) => {
  if (!choice) return;
  if (!tools?.length) report("tool_choice", "can only be given together with tools");
  else if (choice.type === "tool" && !tools.some(({ name }) => name === choice.name)) {
    report("tool_choice.name", `there is no tool "${choice.name}" in tools`);
  }
  const isForced = choice.type === "any" || choice.type === "tool";
  if (isForced && thinking && thinking.type !== "disabled")
    report("thinking", "cannot be on while tool_choice forces a tool");
};

export const toolsAreDeclared: Rule = ({ request, turns }, report) => {
  if (request.tools?.length) return;
  const [first] = turns.flatMap((turn) => [...usesOf(turn), ...resultsOf(turn)]);
  if (first) report(first.where, `a request whose messages hold a ${first.block.type} block must declare tools`);
};

export const toolUseIdsAreUnique: Rule = ({ turns }, report) => {
  const seen = new Set<string>();
  for (const { block, where } of turns.flatMap(usesOf)) {
    if (seen.has(block.id)) report(at(where, "id"), `tool_use ids must be unique, and ${block.id} was used before`);
    seen.add(block.id);
  }
};

/** Each call is answered, in the user's very next turn. */
export const toolUsesAreAnswered: Rule = ({ turns }, report) => {
  for (const [index, turn] of turns.entries()) {
    const answered = new Set(resultsOf(turns[index + 1]).map(({ block }) => block.tool_use_id));
    const open = usesOf(turn).filter(({ block }) => !answered.has(block.id));
    if (open.length === 0) continue;
    const ids = open.map(({ block }) => block.id).join(", ");
    report(turn.where, `tool_use without a tool_result in the next message: ${ids}`);
  }
};

/** Each result answers a call of the turn just before, once. */
export const toolResultsAnswerACall: Rule = ({ turns }, report) => {
  for (const [index, turn] of turns.entries()) {
    const asked = new Set(usesOf(turns[index - 1]).map(({ block }) => block.id));
    const seen = new Set<string>();
    for (const { block, where } of resultsOf(turn)) {
      const id = block.tool_use_id;
      if (!asked.has(id)) report(where, `tool_result for ${id}, which is no tool_use of the message before`);
      else if (seen.has(id)) report(where, `a second tool_result for ${id}: each tool_use has exactly one`);
      seen.add(id);
    }
  }
};

export const toolResultsComeFirst: Rule = ({ turns }, report) => {
  for (const turn of turns) {
    const other = turn.blocks.findIndex(({ block }) => block.type !== "tool_result");
    if (other < 0) continue;
    const late = turn.blocks.slice(other).find(({ block }) => block.type === "tool_result");
    if (late) report(late.where, "tool_result blocks must come first in their message, before all other content");
  }
};

/** An error result must be text. */
export const failedResultsAreText: Rule = ({ turns }, report) => {
  for (const { block, where } of turns.flatMap(resultsOf)) {
    if (!block.is_error || !Array.isArray(block.content)) continue;
    if (block.content.some(({ type }) => type !== "text")) {
      report(where, "the content of a tool_result with is_error must be text only");
    }
  }
};
