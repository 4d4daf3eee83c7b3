import type { Session } from "../../app/session/session.ts";
import { DEFAULT_STYLE } from "../../contracts/output-style.ts";
import type { WireLine } from "../../faces/headless/wire-format.ts";
import { wireServerNames } from "../../faces/headless/wire-servers.ts";

/** The fields of the first stream-json line, besides the session. */
export function initLine(
  {
    main: { engine, registry, workspace },
    choice,
    servers,
    additions,
    skills,
    environment,
    extensions,
    delegation,
  }: Session,
  { version, commands = [] }: { readonly version: string; readonly commands?: readonly string[] },
): WireLine {
  const { model, mode } = engine.state;
  return {
    cwd: workspace.cwd,
    tools: registry.names,
    mcp_servers: wireServerNames(servers.client?.states ?? []),
    model,
    permissionMode: mode,
    slash_commands: commands,
    apiKeySource: keySource(choice),
    output_style: additions.style?.name ?? DEFAULT_STYLE,
    skills: skills.all.map(({ name }) => name),
    plugins: pluginLines(environment),
    ...extensionLines(extensions),
    agents: delegation.types.all.map(({ name }) => name),
    quoll_version: version,
  };
}

/** The extensions, for sessions that have some. */
function extensionLines({ view }: Session["extensions"]): WireLine {
  const all = view.list().map(({ name, file, origin, isOn }) => ({ name, path: file, source: origin, enabled: isOn }));
  return all.length === 0 ? {} : { extensions: all };
}

export function pluginLines({ plugins }: Pick<Session["environment"], "plugins">): readonly WireLine[] {
  return plugins.map(({ name, root, id, version }) => ({
    name,
    path: root,
    source: id,
    ...(version !== undefined && { version }),
  }));
}

/** The source of the key, in the terms of this format: a variable's name, or a fixed word. */
export function keySource(choice: Session["choice"]): string {
  if (!("endpoint" in choice)) return "none";
  const { keySource: source, keyFrom } = choice.endpoint;
  switch (source) {
    case "variable":
      return keyFrom;
    case "helper":
      return "apiKeyHelper";
    case "none":
      return "none";
    default:
      return "user";
  }
}
