import { z } from "zod";
import { CONFIGURABLE_EVENTS, type ConfigurableEvent } from "./hook-events.ts";

export const HOOK_KINDS = ["command", "http", "mcp_tool", "prompt", "agent"] as const;
export type HookKind = (typeof HOOK_KINDS)[number];

const MAX_TIMEOUT_S = 86_400;
const text = z.string().min(1);

/** The field that each kind of hook needs. */
export const HOOK_CONTENT: Readonly<Record<HookKind, "command" | "url" | "server" | "prompt">> = {
  command: "command",
  http: "url",
  mcp_tool: "server",
  prompt: "prompt",
  agent: "prompt",
};

/** One hook of a settings file; each kind uses its own fields. */
export const hookSettingsSchema = z
  .object({
    type: z
      .enum(HOOK_KINDS)
      .describe("A shell command, an HTTP request, a tool of an MCP server, a question to a model, or an agent"),
    command: text.optional().describe("command: the command line, or with `args` the program"),
    args: z
      .array(z.string())
      .optional()
      .describe("command: the arguments of the program, which then runs without a shell"),
    shell: z.enum(["bash", "powershell"]).optional().describe("command: the shell (default bash)"),
    async: z.boolean().optional().describe("command: runs in the background; its answer decides nothing"),
    asyncRewake: z.boolean().optional().describe("command: as `async`, and exit code 2 gives the model its stderr"),
    url: text.optional().describe("http: receives the input as a POST request"),
    headers: z.record(z.string(), z.string()).optional().describe("http: headers; `$NAME` is replaced if listed below"),
    allowedEnvVars: z.array(z.string()).optional().describe("http: variables that headers may contain"),
    server: text.optional().describe("mcp_tool: the name of a connected MCP server"),
    tool: text.optional().describe("mcp_tool: the name of its tool"),
    input: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("mcp_tool: the tool's input; a field of the hook's input can stand in it ([kinds](../hooks.md#kinds))"),
    prompt: text.optional().describe("prompt, agent: the question; `$ARGUMENTS` stands for the hook's input"),
    model: text.optional().describe("prompt, agent: the model that answers (default: the session's)"),
    if: text.optional().describe("Runs only for calls that this permission rule matches, such as Bash(git *)"),
    timeout: z.number().positive().max(MAX_TIMEOUT_S).optional().describe("Time limit in seconds"),
    statusMessage: text.max(200).optional().describe("A line for the person while the hook runs"),
    once: z.boolean().optional().describe("Runs only the first time in a session"),
    onFailure: z
      .enum(["continue", "block"])
      .optional()
      .describe("`block`: a hook that fails blocks its event (default continue)"),
  })
  .superRefine((hook, context) => {
    const field = HOOK_CONTENT[hook.type];
    if (hook[field] === undefined)
      context.addIssue({ code: "custom", path: [field], message: `some text, since the type is ${hook.type}` });
    if (hook.type === "mcp_tool" && hook.tool === undefined)
      context.addIssue({ code: "custom", path: ["tool"], message: "the name of a tool" });
  });
export type HookSettings = z.infer<typeof hookSettingsSchema>;

const matchers = z
  .array(
    z.object({
      matcher: z
        .string()
        .optional()
        .describe("Names of tools (or sources, triggers, types) with | between them, or a regular expression"),
      hooks: z.array(hookSettingsSchema),
    }),
  )
  // With this id, the published schema describes a hook once instead of once for each event.
  .meta({ id: "HookMatchers" })
  .optional();

/** The `hooks` section. */
export const hooksSettingsSchema = z.object(
  Object.fromEntries(CONFIGURABLE_EVENTS.map((event) => [event, matchers])) as Record<
    ConfigurableEvent,
    typeof matchers
  >,
);
