import { CONFIGURABLE_EVENTS, type ConfigurableEvent } from "./hook-events.ts";
import type { Misfit, Setting, ValueOf } from "./setting.ts";

export const HOOK_KINDS = ["command", "http", "mcp_tool", "prompt", "agent"] as const;
export type HookKind = (typeof HOOK_KINDS)[number];

/** The field that each kind of hook needs. */
export const HOOK_CONTENT: Readonly<Record<HookKind, "command" | "url" | "server" | "prompt">> = {
  command: "command",
  http: "url",
  mcp_tool: "server",
  prompt: "prompt",
  agent: "prompt",
};

const FLAG = { type: "boolean" } as const;
const NAME = { type: "text", min: 1 } as const;
const TEXTS = { type: "list", of: { type: "text" } } as const;

/** One hook of a settings file; each kind uses its own fields. */
// biome-ignore format: a table with one key a line
export const HOOK = {
  type: "object",
  check: checkHook,
  keys: {
    type: { type: "choice", values: HOOK_KINDS, required: true, about: "A shell command, an HTTP request, a tool of an MCP server, a question to a model, or an agent" },
    command: { ...NAME, about: "command: the command line, or with `args` the program" },
    args: { ...TEXTS, about: "command: the arguments of the program, which then runs without a shell" },
    shell: { type: "choice", values: ["bash", "powershell"], about: "command: the shell (default bash)" },
    async: { ...FLAG, about: "command: runs in the background; its answer decides nothing" },
    asyncRewake: { ...FLAG, about: "command: as `async`, and exit code 2 gives the model its stderr" },
    url: { ...NAME, about: "http: receives the input as a POST request" },
    headers: { type: "map", of: { type: "text" }, about: "http: headers; `$NAME` is replaced if listed below" },
    allowedEnvVars: { ...TEXTS, about: "http: variables that headers may contain" },
    server: { ...NAME, about: "mcp_tool: the name of a connected MCP server" },
    tool: { ...NAME, about: "mcp_tool: the name of its tool" },
    input: { type: "map", of: { type: "anything" }, about: "mcp_tool: the tool's input; a field of the hook's input can stand in it ([kinds](../hooks.md#kinds))" },
    prompt: { ...NAME, about: "prompt, agent: the question; `$ARGUMENTS` stands for the hook's input" },
    model: { ...NAME, about: "prompt, agent: the model that answers (default: the session's)" },
    if: { ...NAME, about: "Runs only for calls that this permission rule matches, such as Bash(git *)" },
    timeout: { type: "number", above: 0, max: 86_400, about: "Time limit in seconds" },
    statusMessage: { ...NAME, max: 200, about: "A line for the person while the hook runs" },
    once: { ...FLAG, about: "Runs only the first time in a session" },
    onFailure: { type: "choice", values: ["continue", "block"], about: "`block`: a hook that fails blocks its event (default continue)" },
  },
} as const satisfies Setting;

/** With its id, the JSON Schema describes a hook once instead of once for each event. */
// biome-ignore format: a table with one key a line
const HOOK_MATCHERS = {
  type: "list",
  id: "HookMatchers",
  of: { type: "object", keys: {
    matcher: { type: "text", about: "Names of tools (or sources, triggers, types) with | between them, or a regular expression" },
    hooks: { type: "list", of: HOOK, required: true },
  } },
} as const satisfies Setting;

type ByEvent = Readonly<Record<ConfigurableEvent, typeof HOOK_MATCHERS>>;
/** The `hooks` section. */
export const HOOKS_BY_EVENT = Object.fromEntries(CONFIGURABLE_EVENTS.map((event) => [event, HOOK_MATCHERS])) as ByEvent;

export type HookSettings = ValueOf<typeof HOOK>;

/** Finds the field that a kind of hook needs and that is absent. */
function checkHook(hook: Readonly<Record<string, unknown>> & { readonly type: HookKind }): Misfit | undefined {
  const field = HOOK_CONTENT[hook.type];
  if (hook[field] === undefined) return { path: [field], expected: `some text, since the type is ${hook.type}` };
  return hook.type === "mcp_tool" && hook["tool"] === undefined
    ? { path: ["tool"], expected: "the name of a tool" }
    : undefined;
}
