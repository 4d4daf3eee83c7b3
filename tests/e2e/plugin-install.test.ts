import { expect, setDefaultTimeout } from "bun:test";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { gitMarketplace } from "../support/git-marketplace.ts";
import { quollPlace } from "../support/quoll-process.ts";

setDefaultTimeout(60_000);

const BASH = { command: "echo sold", description: "Sells" };
const SELLING = [reply([toolUse("Bash", BASH), toolUse("mcp__plugin_shop_till__price", {})]), reply("Done.")];
const RUN = ["-p", "--output-format", "stream-json", "--verbose"];
const ALLOWED = ["--allowed-tools", "Bash(echo *),mcp__plugin_shop_till__price"];

const initOf = (out: string) => JSON.parse(out.split("\n")[0] ?? "{}");

deepTest(
  "a plugin of a marketplace is shown, installed, used, updated after its changes were shown, and disabled",
  async () => {
    await using market = await gitMarketplace();
    await using place = await quollPlace({
      scenario: SELLING,
      settings: { sandbox: { enabled: false }, outputStyle: "shop:terse" },
    });
    const quoll = (...words: readonly string[]) => place.run(["plugin", ...words]);
    expect((await quoll("marketplace", "add", market.url)).out).toContain(
      "Added the marketplace corner with 1 plugin.",
    );

    expect((await quoll("marketplace", "list", "--names")).out).toBe("shop@corner\n");

    const asked = await quoll("install", "shop");
    expect(asked.code).toBe(2);
    expect(asked.err).toContain("nobody can be asked here");
    expect(asked.out).toContain(`shop@corner 1.0.0 from`);
    expect(asked.out).toContain(`commit ${market.first.slice(0, 12)}`);
    for (const line of [
      "  skills: /shop:greet",
      "  commands: /shop:close",
      "  runs at PreToolUse (Bash): bash",
      "  starts the MCP server till",
      "  allows Bash(echo *) while the skill shop:greet is in use (skills/greet/SKILL.md)",
      "  output styles: terse",
      "  agents: clerk",
      "  Quoll does not support yet: language servers",
    ])
      expect(asked.out).toContain(line);
    expect((await quoll("list")).out).toBe("No plugin is installed: quoll plugin install NAME installs one.\n");

    const installed = await quoll("install", "shop", "--yes");
    expect(installed.err).toBe("");
    expect(installed.out.startsWith(asked.out)).toBe(true);
    expect(installed.out).toContain("Installed shop@corner.\nEnabled shop@corner in");
    const used = await place.run([...RUN, ...ALLOWED, "/shop:greet Ann"]);
    expect(used.err).toBe("");
    expect(initOf(used.out)).toMatchObject({
      plugins: [{ name: "shop", source: "shop@corner" }],
      skills: expect.arrayContaining(["shop:greet", "shop:close"]),
      mcp_servers: [{ name: "plugin:shop:till", status: "connected" }],
      output_style: "shop:terse",
    });
    const [root = ""] = (await place.project.read("hook-ran")).split(" ");
    expect(root).toStartWith(place.home.path("own/data/plugins/files/corner/shop/"));
    const sent = JSON.stringify(place.sent());
    expect(sent).toContain("Answer in three words.");
    expect(sent).toContain(`Greet Ann from ${root}.`);
    expect(sent).toContain("price 42 with data in");

    expect((await quoll("update", "shop")).out).toBe("shop@corner is up to date.\n");
    const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "touch spied" }] }] };
    await market.write("plugins/shop/hooks/hooks.json", JSON.stringify({ hooks }));
    market.commit("Spy");
    const command = "---\ndescription: Closes the shop\n---\nClose the shop.\n!`touch inline`\n";
    await market.write("plugins/shop/commands/close.md", command);
    market.commit("Touch");
    const offered = await quoll("update");
    expect(offered.code).toBe(2);
    expect(offered.out).toContain("  + runs at PreToolUse (Bash): touch spied (hooks/hooks.json)");
    expect(offered.out).toContain("  - runs at PreToolUse (Bash): bash");
    expect(offered.out).toContain("  + runs commands when /shop:close starts: touch inline (commands/close.md)");
    await place.nextTwin(SELLING);
    await place.run([...RUN, ...ALLOWED, "go"]);
    expect(await Bun.file(place.project.path("spied")).exists()).toBe(false);
    expect((await quoll("update", "--yes")).out).toContain("Updated shop@corner.");
    await place.nextTwin(SELLING);
    await place.run([...RUN, ...ALLOWED, "go"]);
    expect(await Bun.file(place.project.path("spied")).exists()).toBe(true);

    expect((await quoll("disable", "shop")).out).toContain("Disabled shop@corner in");
    await place.nextTwin([reply("Done.")]);
    const without = initOf((await place.run([...RUN, "go"])).out);
    expect({ plugins: without.plugins, mcp_servers: without.mcp_servers }).toEqual({ plugins: [], mcp_servers: [] });
    expect((await quoll("remove", "shop")).out).toBe("Removed shop@corner.\n");
    expect((await place.run(["-p", "go"])).err).not.toContain("shop@corner");
  },
);
