import { words } from "./words.ts";

/** A kind of file name that makes a program run code, or a model follow instructions, without a question. */
export type ProtectedKind = {
  /** A few words for people. */
  readonly what: string;
  /**
   * The names in their usual spelling; the comparison ignores case. A name of several parts matches them in this
   * order anywhere in a path; everything below it is protected too. A name that ends with `/` is a folder; any
   * other name is a file.
   */
  readonly names: readonly string[];
  /**
   * True if the sandbox protects only existing entries: commands may create a new entry, which Quoll reports
   * afterwards. Any other new name at the top of the workspace is moved aside.
   */
  readonly onlyReportedWhenNew?: boolean;
  /** True if the name has a meaning only in a home folder (or, for `etc/…`, at the root). */
  readonly onlyAtHome?: boolean;
};

/**
 * The names that no rule can allow to write and that confined commands cannot write: pure data for permissions and the
 * sandbox.
 */
export const PROTECTED_NAMES: readonly ProtectedKind[] = [
  { what: "git's own data", names: [".git/", "git~1", ".gitmodules"] },
  { what: "git's own data", names: [".gitconfig", ".config/git/"], onlyAtHome: true },
  {
    what: "settings of coding agents",
    names: [".quoll/", ".claude/", ".agents/", ".codex/", ".mcp.json"],
  },
  { what: "settings of coding agents", names: [".claude.json"], onlyAtHome: true },
  {
    what: "instructions for coding agents",
    names: [
      ...["AGENTS.md", "AGENTS.local.md", "AGENTS.override.md", "CLAUDE.md", "CLAUDE.local.md", "QUOLL.md"],
      ...["QUOLL.local.md", "GEMINI.md", "QWEN.md", "CRUSH.md", "CRUSH.local.md"],
    ],
  },
  {
    what: "instructions for coding agents",
    onlyReportedWhenNew: true,
    names: [".github/copilot-instructions.md", ".cursor/rules/"],
  },
  {
    what: "settings that editors and tools run commands from",
    names: [".vscode/", ".idea/", ".husky/", ".envrc", ".npmrc", ".yarnrc", ".yarnrc.yml", ".devcontainer/"],
  },
  {
    what: "settings that editors and tools run commands from",
    onlyReportedWhenNew: true,
    names: words(`
      .devcontainer.json .exrc .vimrc .nvimrc .nvim.lua .lvimrc .dir-locals.el .gdbinit .lldbinit
      .pnpmfile.cjs .pnpmfile.mjs .yarn/plugins/ .yarn/releases/ .cargo/config.toml .cargo/config mise.toml
      .mise.toml mise.local.toml .config/mise.toml .mvn/ gradle-wrapper.properties sitecustomize.py
      usercustomize.py
    `),
  },
  {
    what: "settings of coding agents",
    onlyReportedWhenNew: true,
    names: words(`
      .cursor/mcp.json .cursor/hooks.json .gemini/settings.json .gemini/extensions/ .windsurf/hooks.json
      .amazonq/mcp.json .kiro/settings/ .roo/mcp.json .kilocode/mcp.json .zed/settings.json .zed/tasks.json
      opencode.json opencode.jsonc .opencode/ .crush.json crush.json .aider.conf.yml
    `),
  },
  {
    what: "git's hooks and filters",
    onlyReportedWhenNew: true,
    names: words(`
      .gitattributes .pre-commit-config.yaml .pre-commit-config.yml .overcommit.yml .lintstagedrc
      lefthook.yml lefthook.yaml .lefthook.yml .lefthook.yaml lefthook-local.yml .simple-git-hooks.json
    `),
  },
  { what: "settings that editors and tools run commands from", names: [".ssh/"], onlyAtHome: true },
  {
    what: "shell start-up files",
    onlyAtHome: true,
    names: [
      ...[".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".inputrc"],
      ...[".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", ".logout"],
      ...[".xprofile", ".xinitrc", ".xsession", ".xsessionrc", ".pam_environment", ".config/fish/", ".oh-my-zsh/"],
      ...[".config/systemd/", ".config/autostart/", "Library/LaunchAgents/", ".config/environment.d/"],
      ...["etc/profile", "etc/profile.d/", "etc/bash.bashrc", "etc/bashrc", "etc/zsh/", "etc/zshrc", "etc/environment"],
    ],
  },
];
