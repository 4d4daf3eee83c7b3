import { expect, test } from "bun:test";
import { TOOL_SPECS } from "../../src/cli/surface.ts";
import type { DeclaredTool, ToolSpec } from "../../src/contracts/tool.ts";
import { isToolHere } from "../../src/services/permission/rules/known-tools.ts";

/** The values that the JSON schema allows for each field, as strings. */
const isDeclared = (spec: ToolSpec): spec is DeclaredTool => "aliases" in spec;

test("every alias of a tool leads to a field that it has, and none hides a field", () => {
  const wrong = TOOL_SPECS.filter(isDeclared).flatMap(({ name, aliases, inputSchema: { properties } }) =>
    Object.entries(aliases)
      .filter(([alias, field]) => !(field in Object(properties)) || alias in Object(properties))
      .map(([alias]) => `${name}.${alias}`),
  );
  expect(wrong).toEqual([]);
});

test("every schema is one flat object of described fields that takes nothing else", () => {
  for (const { name, inputSchema } of TOOL_SPECS) {
    expect({ name, type: inputSchema["type"], more: inputSchema["additionalProperties"] }).toEqual({
      name,
      type: "object",
      more: false,
    });
    expect(Object.keys(inputSchema).filter((key) => /^(anyOf|oneOf|allOf|\$)/.test(key))).toEqual([]);
  }
});

test("names are those that models rely on", () => {
  const fields = TOOL_SPECS.map(
    ({ name, inputSchema }) => [name, Object.keys(inputSchema["properties"] as object)] as const,
  );
  expect(Object.fromEntries(fields)).toEqual({
    AskUserQuestion: ["questions"],
    Agent: [
      "description",
      "prompt",
      "subagent_type",
      "name",
      "model",
      "allowed_tools",
      "max_turns",
      "budget",
      "max_usd",
      "run_in_background",
      "isolation",
      "expect",
      "resume",
    ],
    Read: ["file_path", "offset", "limit", "pages"],
    Edit: ["file_path", "old_string", "new_string", "replace_all", "edits"],
    Write: ["file_path", "content"],
    Bash: ["command", "description", "timeout", "run_in_background", "notify_on", "dangerouslyDisableSandbox"],
    Glob: ["pattern", "path"],
    Grep: [
      ...["pattern", "path", "glob", "type", "output_mode", "-A", "-B", "-C", "-i", "-n"],
      ...["multiline", "head_limit", "offset"],
    ],
    NotebookEdit: ["notebook_path", "cell_id", "new_source", "cell_type", "edit_mode"],
    TodoWrite: ["todos"],
    TaskOutput: ["task_id", "block", "timeout"],
    TaskStop: ["task_id"],
    SendMessage: ["to", "message"],
    EnterWorktree: ["name", "base"],
    ExitWorktree: ["action", "discard"],
    EnterPlanMode: [],
    ExitPlanMode: ["plan", "allowed"],
    ToolSearch: ["query", "max_results"],
    ToolCall: ["name", "input"],
    Recall: ["query", "offset", "max_tokens"],
    WebFetch: ["url", "prompt", "offset"],
    WebSearch: ["query", "allowed_domains", "blocked_domains"],
    Skill: ["skill", "args"],
    TaskCreate: ["subject", "description", "activeForm", "metadata"],
    TaskGet: ["taskId"],
    TaskList: [],
    TaskUpdate: [
      ...["taskId", "status", "owner", "subject", "description", "activeForm", "addBlocks", "addBlockedBy", "metadata"],
    ],
  });
});

test("a rule that names a tool is known to be about it", () => {
  // A rule names the tool that is called through ToolCall.
  expect(TOOL_SPECS.map(({ name }) => name).filter((name) => !isToolHere(name))).toEqual(["ToolCall"]);
});
