import type { Command } from "commander";
import { DEBUG_TOPICS } from "../../contracts/debug.ts";
import { EFFORTS } from "../../contracts/provider.ts";
import { SETTING_SOURCES } from "../../contracts/setting-sources.ts";
import { settingKeyNames, settingValues } from "../../services/config/setting-keys.ts";
import { bashScript } from "./bash-script.ts";
import { type CompletedCommand, completionTree } from "./completion-tree.ts";
import { fishScript } from "./fish-script.ts";
import { zshScript } from "./zsh-script.ts";

export type CompletedShell = "bash" | "zsh" | "fish";

const SCRIPTS: Readonly<Record<CompletedShell, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

const SERVER_NAMES = "quoll mcp list --names";
const PLUGIN_NAMES = "quoll plugin list --names";
const OFFERED_PLUGINS = "quoll plugin marketplace list --names";

/**
 * A script that completes the program's commands, options and values in a shell. The script starts Quoll for names of
 * servers, plugins and sessions.
 */
export function completionScript(program: Command, shell: CompletedShell): string {
  const keys = settingKeyNames();
  const words = {
    "--effort": EFFORTS,
    "--thinking": ["adaptive", "enabled", "disabled"],
    "--setting-sources": SETTING_SOURCES,
    "--debug": DEBUG_TOPICS,
    " config get": ["prompt", ...keys],
    " config set": keys,
    " config unset": keys,
    " inventory": ["commands", "tools", "agents", "skills"],
    " show": ["command", "tool"],
  };
  const servers = ["get", "remove", "login", "logout"].map((name) => [` mcp ${name}`, SERVER_NAMES] as const);
  const plugins = ["remove", "update", "enable", "disable"].map((name) => [` plugin ${name}`, PLUGIN_NAMES] as const);
  const background = ["attach", "logs", "stop"].map((name) => [` ${name}`, "quoll ps --ids"] as const);
  const sources = Object.fromEntries([...servers, ...plugins, ...background, [" plugin install", OFFERED_PLUGINS]]);
  const known = { words, sources, following: { " config set": settingValues() } };
  return SCRIPTS[shell](completionTree(program, known));
}
