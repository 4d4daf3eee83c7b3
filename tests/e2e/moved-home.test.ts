import { expect, setDefaultTimeout } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { quollPlace, resultsIn } from "../support/quoll-process.ts";

setDefaultTimeout(60_000);

const RAW_SERVER = join(import.meta.dir, "../services/mcp/servers/raw-server.ts");
/** A server of a file. Each is another program, because the same one starts once. */
const server = (name: string) => ({ command: process.execPath, args: [RAW_SERVER, "plain", name] });
const SERVERS = ["ofclaude", "ofcodex", "ofgemini", "ofproject"];
const json = JSON.stringify;
const skill = (name: string, text: string, more = "") =>
  `---\nname: ${name}\ndescription: About ${name}.\n${more}---\n${text}\n`;
const bash = (command: string) => toolUse("Bash", { command, description: "A command" });
const echo = (name: string) => toolUse(`mcp__${name}__echo`, { text: `hello ${name}` });

/** The files of other agents in a home folder. `seen`: a file that the hook writes. */
function homeFiles(seen: string): Readonly<Record<string, string>> {
  const hook = { matcher: "Bash", hooks: [{ type: "command", command: `cat >> ${seen}` }] };
  const permissions = {
    allow: ["Bash(touch:*)", ...SERVERS.map((name) => `mcp__${name}`)],
    deny: ["Bash(npm publish:*)"],
  };
  return {
    ".claude/CLAUDE.md": "Home rule: answer in short sentences.",
    ".claude/settings.json": json({ permissions, hooks: { PreToolUse: [hook] }, env: { FROM_HOME: "yes" } }),
    ".claude.json": json({ mcpServers: { ofclaude: server("ofclaude") } }),
    ".claude/skills/tidy/SKILL.md": skill("tidy", "Tidy the shelf."),
    ".claude/commands/ship.md": "---\ndescription: Ships\nargument-hint: <place>\n---\nShip to $1.",
    ".agents/skills/common/SKILL.md": skill("common", "Shared by agents."),
    ".codex/config.toml": `[mcp_servers.ofcodex]\ncommand = ${json(process.execPath)}\nargs = ${json([RAW_SERVER, "plain", "ofcodex"])}\n`,
    ".gemini/settings.json": json({ mcpServers: { ofgemini: server("ofgemini") } }),
    ".config/opencode/opencode.json": json({ permission: { bash: { "mkdir *": "allow" } } }),
  };
}

const PROJECT: Readonly<Record<string, string>> = {
  "AGENTS.md": "Project rule: run the check.",
  "CLAUDE.md": "Claude rule: keep the names.",
  ".mcp.json": json({ mcpServers: { ofproject: server("ofproject") } }),
  "opencode.json": json({ permission: { bash: { "rmdir *": "deny" } } }),
  ".claude/skills/deploy/SKILL.md": skill("deploy", "Deploy by hand.", "allowed-tools: Bash(chmod *)\n"),
  ".claude/commands/db/reset.md": "---\ndescription: Resets\n---\nReset the data.",
  ".agents/skills/lint/SKILL.md": skill("lint", "Lint it."),
  ".claude/agents/reviewer.md": "---\nname: reviewer\ndescription: Reviews\n---\nReview.",
  "shop/.claude/skills/price/SKILL.md": skill("price", "Prices in cents."),
  "shop/cart.ts": "export const cart = [];",
};

deepTest(
  "a home and a project in the layout of other agents work in one session, after trust and config import --apply",
  async () => {
    const steps = [
      [
        bash("touch by-rule"),
        bash("mkdir made"),
        bash("echo env $FROM_HOME"),
        bash("npm publish"),
        toolUse("Read", { file_path: "shop/cart.ts" }),
        ...SERVERS.map(echo),
      ],
      [
        bash("rmdir made"),
        ...["tidy", "common", "deploy", "lint", "price"].map((name) => toolUse("Skill", { skill: name })),
      ],
      [bash("chmod 600 by-rule")],
    ];
    await using place = await quollPlace({ files: PROJECT, scenario: (_, at) => reply(steps[at] ?? "Done.") });
    const seen = place.home.path("seen.txt");
    for (const [path, text] of Object.entries(homeFiles(seen))) await place.home.write(path, text);

    const imported = await place.run(["config", "import", "--apply", "--trust"]);
    expect({ code: imported.code, err: imported.err }).toEqual({ code: 0, err: "" });
    const ran = await place.run(["-p", "/ship Oslo", "--trust", "--verbose", "--output-format", "stream-json"]);
    const init = JSON.parse(ran.out.split("\n")[0] ?? "");
    expect(
      init.mcp_servers.toSorted((a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name)),
    ).toEqual(SERVERS.map((name) => ({ name, status: "connected" })));
    expect(init.slash_commands).toEqual(
      expect.arrayContaining(["ship", "db:reset", "tidy", "common", "deploy", "lint"]),
    );

    const [first, second, third, fourth] = place.sent();
    const opening = json(first?.messages);
    for (const part of ["Home rule", "Project rule", "Claude rule", "- tidy: About tidy.", "- common:", "- deploy:"])
      expect(opening).toContain(part);
    for (const part of ["- lint: About lint.", "- ship: Ships", "- db:reset: Resets", "Ship to Oslo."])
      expect(opening).toContain(part);
    expect(opening).not.toContain("- price:");
    const [touched, made, variable, published, read, ...echoed] = resultsIn(second);
    expect([touched, made].map((text) => text?.includes("exit code 0"))).toEqual([true, true]);
    expect(variable).toStartWith("env yes\n");
    expect(published).toContain("deny rule Bash(npm publish");
    expect(read).toContain("cart");
    expect(echoed).toEqual(SERVERS.map((name) => `hello ${name}`));
    expect(json(second?.messages.at(-1))).toContain("- price: About price.");
    const [removed, ...loaded] = resultsIn(third).slice(9);
    expect(removed).toContain("deny rule Bash(rmdir");
    const texts = ["Tidy the shelf.", "Shared by agents.", "Deploy by hand.", "Lint it.", "Prices in cents."];
    expect(loaded.map((text, at) => text.includes(texts[at] ?? ""))).toEqual(texts.map(() => true));
    expect(resultsIn(fourth).at(-1)).toContain("exit code 0");

    const hooked = readFileSync(seen, "utf8");
    expect(hooked.match(/"hook_event_name":"PreToolUse"/g)?.length).toBe(6);
    expect(existsSync(place.project.path("by-rule"))).toBe(true);
    expect(place.refused()).toEqual([]);
  },
);
