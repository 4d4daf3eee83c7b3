import { expect, test } from "bun:test";
import { protection } from "../../../src/services/permission/judge/protected-paths.ts";
import { isSecret, NOT_SECRET, SECRETS } from "../../../src/services/permission/judge/secrets.ts";

test.each(SECRETS.map((kind) => [kind.what, kind] as const))("%s are secrets", (_, { examples }) => {
  for (const example of examples) {
    expect([example, isSecret(`/p/${example}`)]).toEqual([example, true]);
    expect([example, isSecret(`/p/${example.toUpperCase()}`)]).toEqual([example, true]);
  }
});

test("a file made to be shown is not a secret", () => {
  for (const name of NOT_SECRET) expect([name, isSecret(`/p/${name.replace("*", "rsa")}`)]).toEqual([name, false]);
});

test("ordinary files are not secrets", () => {
  const names = [
    "environment.ts",
    "env.ts",
    "src/secrets.ts",
    "key.ts",
    "monkey.md",
    "id.ts",
    ".gitignore",
    "envoy.yaml",
  ];
  expect(names.filter((name) => isSecret(`/p/${name}`))).toEqual([]);
});

test("an example in a folder of secrets is a secret all the same", () => {
  expect(isSecret("/p/.aws/.env.example")).toBe(true);
});

test("invisible characters, another case and trailing dots don't hide a name", () => {
  for (const name of [".e\u200bnv", ".ENV", ".env.", ".env "])
    expect([name, isSecret(`/p/${name}`)]).toEqual([name, true]);
  for (const name of [".g\u200cit/config", ".GIT/hooks/x", ".git./config", "GIT~1/config"])
    expect([name, protection(`/p/${name}`, [])]).toEqual([name, "git's own data"]);
});

test.each([
  ".git/config",
  ".git",
  "sub/.git/hooks/pre-commit",
  ".quoll/settings.json",
  ".claude/settings.local.json",
  ".agents/skills/x/SKILL.md",
  ".mcp.json",
  "AGENTS.md",
  "docs/CLAUDE.md",
  "CLAUDE.local.md",
  "gemini.md",
  "QUOLL.md",
  "QUOLL.local.md",
  "a/QWEN.md",
  ".cursor/rules/a.mdc",
  ".github/copilot-instructions.md",
  ".vscode/tasks.json",
  ".idea/workspace.xml",
  ".husky/pre-commit",
  ".envrc",
  ".npmrc",
  ".devcontainer.json",
  ".cursor/mcp.json",
  ".gemini/settings.json",
  "app/.pnpmfile.cjs",
  ".cargo/config.toml",
  "mise.toml",
  ".pre-commit-config.yaml",
  "lefthook.yml",
  "sub/.gitattributes",
  ".exrc",
  ".nvim.lua",
  ".yarn/releases/yarn.cjs",
  "gradle/wrapper/gradle-wrapper.properties",
  ".bashrc",
  ".zshenv",
  ".profile",
  ".config/fish/config.fish",
])("writing %s is protected", (name) => {
  expect(protection(`/p/${name}`, [])).toBeDefined();
});

test("our own folders are protected whole, ordinary files are not", () => {
  expect(protection("/data/quoll/sessions/x", ["/data/quoll"])).toBe("Quoll's own files");
  const names = [
    "src/git.ts",
    ".gitignore",
    ".github/workflows/ci.yml",
    "agents.ts",
    "fish/config.fish",
    "profile",
    "Cargo.toml",
    ".cargo/x",
    ".cursor/notes.md",
  ];
  expect(names.filter((name) => protection(`/p/${name}`, ["/data/quoll"]) !== undefined)).toEqual([]);
});
