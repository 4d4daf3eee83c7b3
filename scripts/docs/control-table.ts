import type { ControlSubtype } from "../../src/faces/headless/control-requests.ts";
import { REFUSED_REQUESTS } from "../../src/faces/headless/refused-requests.ts";
import { table } from "./markdown.ts";

export const CONTROL_START = "<!-- control: generated from scripts/docs/control-table.ts -->";
export const CONTROL_END = "<!-- end of control -->";

type Row = { readonly does: string; readonly takes: string; readonly gives: string };

/** A missing or invented subtype is a type error. */
const SUBTYPES: { readonly [K in ControlSubtype]: Row } = {
  initialize: {
    does: "Begins a session. The first line, or never: what comes after the first message brings hooks and agents only.",
    takes:
      "`hooks` by event: `[{matcher, hookCallbackIds, timeout (seconds), onFailure}]`; `sdkMcpServers` names; `mcpServers` as in a file of them; `agents` by name; `systemPrompt` text or a list of texts; `appendSystemPrompt`; `jsonSchema`",
    gives:
      "`commands`, `agents`, `output_style`, `available_output_styles`, `models`, `account`; `hook_on_failure_supported`, and where there were such fields `hooks_applied`, `mcp_servers_applied`, `plugins_applied` (false)",
  },
  interrupt: {
    does: "Ends the running turn; its `result` follows. What waits goes on waiting, and is done next.",
    takes: "`cancel_queued` true drops what waits too",
    gives: "`still_queued` ids of the messages that wait; `cancelled` of those that were dropped",
  },
  set_permission_mode: {
    does: "Enters a mode at once, also in the middle of a turn. `bypassPermissions` needs `--allow-dangerously-skip-permissions`.",
    takes: "`mode`",
    gives: "`mode`",
  },
  set_model: {
    does: "Changes the model, behind the turns that were asked for before; the reply comes when it is done.",
    takes: "`model`; without it, or with `default`, the one that the session began with",
    gives: "`model`",
  },
  set_max_thinking_tokens: {
    does: "Lets the model think with so many tokens; 0 switches thinking off, null is what the model does of itself. A model that takes no number gets the nearest effort.",
    takes: "`max_thinking_tokens`",
    gives: "nothing",
  },
  apply_flag_settings: {
    does: "Changes settings of the running session: these two, no others.",
    takes: "`settings`: `model`, `effortLevel`",
    gives: "nothing",
  },
  cancel_async_message: {
    does: "Takes back a message that waits.",
    takes: "`message_uuid`",
    gives: "`cancelled` false when it was taken already",
  },
  mcp_message: {
    does: "Brings what a server in the program sends on its own.",
    takes: "`server_name`; `message` JSON-RPC",
    gives: "nothing",
  },
  mcp_status: {
    does: "Lists the servers.",
    takes: "nothing",
    gives: "`mcpServers`: `name`, `status`, `error`, `serverInfo`, `scope`, `tools`",
  },
  mcp_reconnect: { does: "Connects a server anew.", takes: "`serverName`", gives: "nothing" },
  mcp_toggle: {
    does: "Ends a server until it is enabled again, or starts it.",
    takes: "`serverName`, `enabled`",
    gives: "nothing",
  },
  mcp_set_servers: {
    does: "Puts servers in the place of those that came by an earlier `mcp_set_servers` or live in the program. Those of the command line stay until they are named here. Their tools are there from the next request to the model on.",
    takes: '`servers` by name, as in a file of them; `{"type":"sdk"}` for one in the program',
    gives: "`added`, `removed` names; `errors` by name, why one is not connected",
  },
  list_models: { does: "Lists the models, aliases first.", takes: "nothing", gives: "`models`" },
  get_context_usage: {
    does: "Says how full the window is, and with what. Where it can, the provider counts the sum and the parts for it (Claude; free of charge). Else, and with `summary`, the sum is that of the last answer and the parts are estimated.",
    takes: "`detail`: `full` (if left out) or `summary`",
    gives:
      "`totalTokens`, `maxTokens`, `percentage`; `categories` by `id`: `system_prompt`, `system_tools`, `mcp_tools`, `memory_files`, `messages`, `free_space`; `systemTools`, `mcpTools`, `memoryFiles`, `messageBreakdown`; `apiUsage` (null before the first answer)",
  },
  get_session_cost: { does: "Says what the session used, as `/cost` does.", takes: "nothing", gives: "`text`" },
  get_settings: {
    does: "Tells the settings in force; of variables and headers only the names.",
    takes: "nothing",
    gives: "`effective` all layers merged; `applied`: `model`, `effort`, `thinking`",
  },
  list_permission_rules: {
    does: "Lists the rules in force, strictest first, and the folders.",
    takes: "nothing",
    gives:
      "`state`: `rules` (`behavior`, `source`, `rule`, `editability`, `notInEffect`), `workspaceDirectories`, `originalCwd`, `managedOnly`",
  },
  set_has_subscribers: { does: "Nothing: no line is held back.", takes: "`has_subscribers`", gives: "nothing" },
  get_binary_version: { does: "Says which Quoll this is.", takes: "nothing", gives: "`version`" },
};

/** What a client may ask for: the table of docs/protocol.md, markers included. */
export function controlTable(): string {
  const rows = Object.entries(SUBTYPES).map(([name, { does, takes, gives }]) => [`\`${name}\``, does, takes, gives]);
  const refused = Object.entries(REFUSED_REQUESTS).map(([name, why]) => [`\`${name}\``, why]);
  return [
    CONTROL_START,
    table(["`subtype`", "what it does", "fields", "reply"], rows),
    "These are known and not done; the reply is an error that says why.",
    table(["`subtype`", "why"], refused),
    CONTROL_END,
  ].join("\n\n");
}
