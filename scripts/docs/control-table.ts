import type { ControlSubtype } from "../../src/faces/headless/control-requests.ts";
import { REFUSED_REQUESTS } from "../../src/faces/headless/refused-requests.ts";
import { table } from "./markdown.ts";

export const CONTROL_START = "<!-- control: generated from scripts/docs/control-table.ts -->";
export const CONTROL_END = "<!-- end of control -->";

type Row = { readonly does: string; readonly takes: string; readonly gives: string };

/** A missing or invented subtype is a type error. */
const SUBTYPES: { readonly [K in ControlSubtype]: Row } = {
  initialize: {
    does: "Configures the session. Send it as the first line; after the first message, it only adds hooks and agents.",
    takes:
      "`hooks` by event: `[{matcher, hookCallbackIds, timeout (seconds), onFailure}]`; `sdkMcpServers` names; `mcpServers` as in an MCP configuration file; `agents` by name; `systemPrompt` text or a list of texts; `appendSystemPrompt`; `jsonSchema`",
    gives:
      "`commands`, `agents`, `output_style`, `available_output_styles`, `models`, `account`; `hook_on_failure_supported`, and for each field that was sent `hooks_applied`, `mcp_servers_applied`, `plugins_applied` (false)",
  },
  interrupt: {
    does: "Ends the running turn; its `result` follows. Queued messages stay in the queue and run next. The next message tells the model that the user stopped its turn.",
    takes: "`cancel_queued` true also drops queued messages",
    gives: "`still_queued` ids of queued messages; `cancelled` ids of dropped messages",
  },
  set_permission_mode: {
    does: "Changes the mode at once, also during a turn. `bypassPermissions` needs `--allow-dangerously-skip-permissions`.",
    takes: "`mode`",
    gives: "`mode`",
  },
  set_model: {
    does: "Changes the model after the turns that were requested before; the reply follows the change.",
    takes: "`model`; without it, or with `default`, the model at the start of the session",
    gives: "`model`",
  },
  set_max_thinking_tokens: {
    does: "Sets the number of thinking tokens; 0 turns thinking off, null restores the model's default. A model that accepts no number gets the nearest effort.",
    takes: "`max_thinking_tokens`",
    gives: "nothing",
  },
  apply_flag_settings: {
    does: "Changes these two settings of the running session.",
    takes: "`settings`: `model`, `effortLevel`",
    gives: "nothing",
  },
  cancel_async_message: {
    does: "Removes a queued message.",
    takes: "`message_uuid`",
    gives: "`cancelled` false if the message was already sent",
  },
  mcp_message: {
    does: "Delivers a message that an MCP server in the program sends on its own.",
    takes: "`server_name`; `message` JSON-RPC",
    gives: "nothing",
  },
  mcp_status: {
    does: "Lists the MCP servers.",
    takes: "nothing",
    gives: "`mcpServers`: `name`, `status`, `error`, `serverInfo`, `scope`, `tools`",
  },
  mcp_reconnect: { does: "Reconnects an MCP server.", takes: "`serverName`", gives: "nothing" },
  mcp_call: {
    does: "Calls a tool of an MCP server, under the rules, questions and hooks of the model's calls.",
    takes: "`tool`, `arguments`, `timeout_ms`",
    gives: "`content`, `isError`",
  },
  mcp_read_resource: {
    does: "Reads a resource of an MCP server.",
    takes: "`serverName`, `uri`",
    gives: "`contents` as the server sent them",
  },
  mcp_toggle: {
    does: "Disables or enables an MCP server.",
    takes: "`serverName`, `enabled`",
    gives: "nothing",
  },
  mcp_set_servers: {
    does: "Replaces the MCP servers of an earlier `mcp_set_servers`, and the servers that run in the program itself. A server from the command line stays until this request names it. The model sees the new tools with its next request.",
    takes: '`servers` by name, as in an MCP configuration file; `{"type":"sdk"}` for a server in the program',
    gives: "`added`, `removed` names; `errors` by name: the reason why a server is not connected",
  },
  list_models: { does: "Lists the models, aliases first.", takes: "nothing", gives: "`models`" },
  get_context_usage: {
    does: "Shows the content of the context window. If the provider can count tokens (Claude, free of charge), it counts the total and the parts. Otherwise, and with `summary`, the total comes from the last answer and the parts are estimated.",
    takes: "`detail`: `full` (default) or `summary`",
    gives:
      "`totalTokens`, `maxTokens`, `percentage`; `categories` by `id`: `system_prompt`, `system_tools`, `mcp_tools`, `memory_files`, `messages`, `free_space`; `systemTools`, `mcpTools`, `memoryFiles`, `messageBreakdown`; `apiUsage` (null before the first answer)",
  },
  reload_output_styles: {
    does: "Reads the output styles again; the style of the session stays.",
    takes: "nothing",
    gives: "`available_output_styles`",
  },
  get_session_cost: { does: "Shows the usage of the session, like `/cost`.", takes: "nothing", gives: "`text`" },
  get_settings: {
    does: "Shows the active settings, without the values of variables and headers.",
    takes: "nothing",
    gives: "`effective`: all layers merged; `applied`: `model`, `effort`, `thinking`",
  },
  list_permission_rules: {
    does: "Lists the active rules, strictest first, and the folders.",
    takes: "nothing",
    gives:
      "`state`: `rules` (`behavior`, `source`, `rule`, `editability`, `notInEffect`), `workspaceDirectories`, `originalCwd`, `managedOnly`",
  },
  get_hooks_listing: {
    does: "Lists the hooks of settings files, like `/hooks`.",
    takes: "nothing",
    gives:
      "`events` with hooks: `name`, `summary`, `supportsMatcher`, `hookCount`; `hooks`: `event`, `matcher`, `source`, `sourceLabel`, `type`, `displayText`, `commandText`, `contentLabel`, `condition`, `timeout`, `statusMessage`, `runsOnce`, `runsInBackground`; `eventCatalog`; `policy`",
  },
  reload_plugins: {
    does: "Reads the plugins and the settings that enable them again, like `/plugins reload`: their skills, commands, agents, output styles, hooks and MCP servers take effect at once. `informational` lines name plugins that wait for an approval, and problems. Extensions of plugins change at the next start; `add_plugins` is refused.",
    takes: "nothing",
    gives: "`commands`, `agents`, `plugins` (`name`, `path`, `source`, `version`), `mcpServers`, `error_count`",
  },
  reload_skills: {
    does: "Looks for new, changed and deleted skills and commands of files. Quoll does the same before each request.",
    takes: "nothing",
    gives: "`skills` that people may start: `name`, `description`, `argumentHint`",
  },
  set_has_subscribers: {
    does: "No effect: Quoll always sends all lines.",
    takes: "`has_subscribers`",
    gives: "nothing",
  },
  rewind_files: {
    does: "Sets the files back to the moment before a prompt; the conversation stays, and the model is told. Files that another hand changed too stay as they are and are named. Background work ends first. A running turn refuses the request.",
    takes: "`user_message_id`, the `uuid` of a message; `dry_run` true changes nothing",
    gives:
      "`canRewind`; false with `error`, true with `filesChanged` paths, `insertions`, `deletions` lines; `conflicts`: `path`, `reason` of the files that stay; `not_undone` effects outside the files; `stopped_tasks`",
  },
  stop_task: {
    does: "Ends an agent or a command in the background; the model is told.",
    takes: "`task_id`",
    gives: "nothing; `task_notification` with the status `stopped` follows",
  },
  background_tasks: {
    does: "Lets the turn continue without the agents that it waits for: these agents continue in the background.",
    takes: "`tool_use_id` of one call; without it, all agents",
    gives: "nothing",
  },
  get_task_output: {
    does: "Shows the end of the output of an agent or a command in the background, 8 KiB at most.",
    takes: "`task_id`",
    gives: "`output`, `total_bytes`, `truncated`",
  },
  get_binary_version: { does: "Shows the version of Quoll.", takes: "nothing", gives: "`version`" },
};

/** The control requests of a client: the table of docs/protocol.md, markers included. */
export function controlTable(): string {
  const rows = Object.entries(SUBTYPES).map(([name, { does, takes, gives }]) => [`\`${name}\``, does, takes, gives]);
  const refused = Object.entries(REFUSED_REQUESTS).map(([name, why]) => [`\`${name}\``, why]);
  return [
    CONTROL_START,
    table(["`subtype`", "effect", "fields", "reply"], rows),
    "Quoll knows these requests but does not support them; the reply is an error with the reason.",
    table(["`subtype`", "reason"], refused),
    CONTROL_END,
  ].join("\n\n");
}
