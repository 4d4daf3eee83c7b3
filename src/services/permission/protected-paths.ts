import { isWithin } from "./fold-path.ts";
import { foldedParts } from "./secrets.ts";

/**
 * What makes a program run something, or a model obey, without anyone being asked: no rule allows a write there. Lower case;
 * a name of several parts stands in that order anywhere in the path; all below it is protected too.
 */
const PROTECTED_NAMES: readonly { readonly what: string; readonly names: readonly string[] }[] = [
  {
    what: "git's own data",
    names: [".git", "git~1", ".gitconfig", ".gitmodules", ".config/git"],
  },
  {
    what: "settings of coding agents",
    names: [".quoll", ".claude", ".agents", ".codex", ".mcp.json", ".claude.json"],
  },
  {
    what: "instructions for coding agents",
    names: ["agents.md", "agents.override.md", "claude.md", "claude.local.md", "gemini.md", "quoll.md"],
  },
  {
    what: "settings that editors and tools run commands from",
    names: [".vscode", ".idea", ".husky", ".envrc", ".npmrc", ".yarnrc", ".yarnrc.yml", ".ssh", ".devcontainer"],
  },
  {
    what: "shell start-up files",
    names: [
      ...[".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".inputrc"],
      ...[".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", ".logout"],
      ...[".xprofile", ".xinitrc", ".xsession", ".xsessionrc", ".pam_environment", ".config/fish", ".oh-my-zsh"],
      ...[".config/systemd", ".config/autostart", "library/launchagents", ".config/environment.d"],
      ...["etc/profile", "etc/profile.d", "etc/bash.bashrc", "etc/bashrc", "etc/zsh", "etc/zshrc", "etc/environment"],
    ],
  },
];

const NAMES = PROTECTED_NAMES.flatMap(({ what, names }) => names.map((name) => ({ what, parts: name.split("/") })));

/**
 * Why a write to this path is always asked for, in a few words; undefined when it isn't.
 * @param ownFolders Folders of ours that are protected whole: settings, sessions, state; absolute.
 */
export function protection(path: string, ownFolders: readonly string[]): string | undefined {
  if (isWithin(path, ownFolders, true)) return "Quoll's own files";
  const parts = foldedParts(path);
  const found = NAMES.find(({ parts: wanted }) =>
    parts.some((_, start) => wanted.every((part, index) => parts[start + index] === part)),
  );
  return found?.what;
}
