import { expect, test } from "bun:test";
import { protection } from "../../../src/services/permission/judge/path-protection.ts";
import { foldedParts, isSecret, NOT_SECRET, SECRETS } from "../../../src/services/permission/judge/secrets.ts";
import { seededRandom } from "../../support/seeded-random.ts";

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

test("a work tree in a folder of Quoll is ordinary, and a folder of Quoll in a work tree is not", () => {
  const own = ["/home/u/.local/share/q", "/p/data"];
  expect(protection("/home/u/.local/share/q/worktrees/x/a.txt", own, ["/home/u/.local/share/q/worktrees/x"])).toBe(
    undefined,
  );
  expect(protection("/home/u/.local/share/q/sessions/a.jsonl", own, ["/home/u"])).toBe("Quoll's own files");
  expect(protection("/p/data/hooks/pre-commit", own, ["/p"])).toBe("Quoll's own files");
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

test("the table means what one expression of all its names means, for 20,000 random paths", () => {
  const names = SECRETS.flatMap((kind) => kind.names);
  const atEnd = (these: readonly string[], end: string) =>
    new RegExp(
      `(?:^|/)(?:${these.map((name) => name.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", "[^/]*")).join("|")})${end}`,
    );
  const files = atEnd(
    names.filter((name) => !name.endsWith("/")),
    "$",
  );
  const folders = atEnd(
    names.filter((name) => name.endsWith("/")).map((name) => name.slice(0, -1)),
    "(?:/|$)",
  );
  const shown = atEnd(NOT_SECRET, "$");
  const { pick, some, chance, below } = seededRandom(7);
  const pieces = [...names, ...NOT_SECRET, "src", "a.b", "pem", ".pem", "x.env.example", "gcloud", ".config", "kube"];
  const part = () => {
    const name = pick(pieces).replace("*", () => pick(["", "x", ".", "a.b", "prod"]));
    if (chance(0.6)) return name;
    const at = below(name.length + 1);
    return chance(0.5) ? name.slice(0, at) + pick(["x", ".", "/", "-"]) + name.slice(at) : name.slice(0, at);
  };
  let secrets = 0;
  for (let run = 0; run < 20_000; run += 1) {
    const path = some(3, part).join("/");
    const folded = foldedParts(path).join("/");
    const wanted = folders.test(folded) || (files.test(folded) && !shown.test(folded));
    if (isSecret(path) !== wanted) expect([path, isSecret(path)]).toEqual([path, wanted]);
    if (wanted) secrets += 1;
  }
  expect(secrets).toBeGreaterThan(4_000);
});
