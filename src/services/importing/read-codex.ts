import type { JsonObject } from "../../contracts/message.ts";
import { words } from "../../contracts/words.ts";
import {
  entriesOf,
  type ImportLine,
  type ImportReader,
  leftOut,
  objectOf,
  otherKeys,
  server,
  setting,
  shown,
  shownServer,
  textOf,
  textsIn,
} from "./import-line.ts";
import { readHooks } from "./read-hooks.ts";

const MS_PER_SECOND = 1_000;
const READ_KEYS: ReadonlySet<string> = new Set(
  words("mcp_servers approval_policy sandbox_mode model hooks shell_environment_policy"),
);
const REASONS: Readonly<Record<string, string>> = {
  projects: "Quoll asks about each folder itself",
  model_provider: "set providers yourself (docs/guide/models.md)",
  model_providers: "set providers yourself (docs/guide/models.md)",
};

/** `config.toml` of Codex. */
export const readCodexConfig: ImportReader = ({ data }) => [
  ...entriesOf(data["mcp_servers"]).map(([name, value]) => codexServer(name, objectOf(value))),
  ...mode(textOf(data["approval_policy"]), textOf(data["sandbox_mode"])),
  ...(textOf(data["model"]) === undefined ? [] : [setting(["model"], data["model"], `model: ${data["model"]}`)]),
  ...readHooks(data["hooks"], true),
  ...entriesOf(objectOf(data["shell_environment_policy"])["set"]).map(([name, value]) =>
    setting(["env", name], shown(value), `shell_environment_policy.set.${name}`),
  ),
  ...otherKeys(data, READ_KEYS, REASONS),
];

/** `hooks.json` of Codex. */
export const readCodexHooks: ImportReader = ({ data }) => readHooks(data["hooks"] ?? data, true);

/** The nearest mode that does not allow more. */
function mode(approval: string | undefined, sandbox: string | undefined): readonly ImportLine[] {
  if (approval === undefined && sandbox === undefined) return [];
  const read = [
    ...(approval === undefined ? [] : [`approval_policy: ${approval}`]),
    ...(sandbox === undefined ? [] : [`sandbox_mode: ${sandbox}`]),
  ].join(", ");
  const to = (name: string, note: string): readonly ImportLine[] => [
    { ...setting(["permissions", "defaultMode"], name, read), note },
  ];
  if (sandbox === "danger-full-access")
    return [leftOut(read, "start with --permission-mode bypassPermissions if you want a session without questions")];
  if (sandbox === "workspace-write" && approval !== "untrusted")
    return to("acceptEdits", "edits in the workspace run; commands ask until you allow all that stay in the sandbox");
  if (approval === "never") return to("dontAsk", "calls that need a question are refused");
  return to("default", "Quoll asks about edits and commands");
}

function codexServer(name: string, given: JsonObject): ImportLine {
  const { command, url, args, env, cwd, bearer_token_env_var: token } = given;
  const read = `mcp_servers.${name}: ${shownServer(given)}`;
  const shared = sharedFields(given);
  if (textOf(command) !== undefined) {
    const passed = Object.fromEntries(textsIn(given["env_vars"]).map((variable) => [variable, reference(variable)]));
    const variables = { ...passed, ...objectOf(env) };
    const own = {
      command,
      ...(Array.isArray(args) && { args }),
      ...(Object.keys(variables).length > 0 && { env: variables }),
      ...(textOf(cwd) !== undefined && { cwd }),
    };
    return server(name, { ...own, ...shared }, read);
  }
  if (textOf(url) === undefined) return leftOut(read, "it has no command and no url");
  const fromVariables = entriesOf(given["env_http_headers"]).map(([header, variable]) => [
    header,
    reference(shown(variable)),
  ]);
  const headers = {
    ...objectOf(given["http_headers"]),
    ...Object.fromEntries(fromVariables),
    ...(textOf(token) !== undefined && { Authorization: `Bearer ${reference(shown(token))}` }),
  };
  const own = { type: "http", url, ...(Object.keys(headers).length > 0 && { headers }) };
  return server(name, { ...own, ...shared }, read);
}

function sharedFields(given: JsonObject): JsonObject {
  const seconds = (value: unknown) => (typeof value === "number" ? Math.round(value * MS_PER_SECOND) : undefined);
  const startupTimeout = seconds(given["startup_timeout_sec"]);
  const timeout = seconds(given["tool_timeout_sec"]);
  return {
    ...(Array.isArray(given["enabled_tools"]) && { enabledTools: given["enabled_tools"] }),
    ...(Array.isArray(given["disabled_tools"]) && { disabledTools: given["disabled_tools"] }),
    ...(startupTimeout !== undefined && { startupTimeout }),
    ...(timeout !== undefined && { timeout }),
    ...(given["required"] === true && { required: true }),
    ...(given["enabled"] === false && { disabled: true }),
  };
}

function reference(variable: string): string {
  return `\${${variable}}`;
}
