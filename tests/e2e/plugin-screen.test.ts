import { expect, setDefaultTimeout, test } from "bun:test";
import { reply } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { gitMarketplace } from "../support/git-marketplace.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

const DOWN = "\u001b[B";
const CTRL_E = "\u0005";

deepTest("/plugin adds a marketplace, browses it, shows a plugin, and installs it after a yes", async () => {
  await using market = await gitMarketplace();
  await using place = await quollPlace({ scenario: [reply("Done.")], settings: { sandbox: { enabled: false } } });
  await using terminal = terminalProcess([...QUOLL, "--trust"], {
    ...{ cwd: place.project.dir, env: place.environmentOf({}), columns: 100, rows: 60 },
  });
  const listed = async () => (await place.run(["plugin", "list"])).out;
  await terminal.shows("? for keys");
  terminal.type("/plugin\r");
  await terminal.shows("❯ add a marketplace …");
  terminal.type("\r");
  await terminal.shows("Add a marketplace: a folder");
  terminal.type(`${market.url}\r`);
  await terminal.shows("The marketplace corner has 1 plugin.");
  await terminal.shows(/❯ shop.* Helps in a shop/);
  terminal.type("\r");
  await terminal.shows("Install shop@corner and enable it?");
  expect(terminal.screen).toContain("runs at PreToolUse (Bash): bash");
  expect(terminal.screen).toContain("starts the MCP server till");
  await terminal.shows("❯ No");
  terminal.type("\r");
  await terminal.shows(() => !terminal.screen.includes("❯ No"));
  expect(await listed()).toContain("No plugin is installed");

  terminal.type("/plugins browse corner\r");
  await terminal.shows(/❯ shop.* Helps in a shop/);
  terminal.type("\r");
  await terminal.shows("❯ No");
  terminal.type(DOWN);
  await terminal.shows("❯ Yes, install it");
  terminal.type("\r");
  await terminal.shows("Installed shop@corner.");
  await terminal.shows("now in use: shop@corner");
  expect(terminal.screen).toContain("› /plugins install shop@corner");
  expect(terminal.screen).not.toContain("--agreed");
  expect(await listed()).toMatch(/shop@corner 1\.0\.0 {2}enabled/);

  terminal.type("/plugins\r");
  await terminal.shows(/❯ shop@corner +in use/);
  await terminal.shows(/marketplace corner +1 plugin · file:/);
  terminal.type(CTRL_E);
  await terminal.shows("no longer in use: shop@corner");
  expect(await listed()).toMatch(/shop@corner 1\.0\.0 {2}disabled/);
});

test("without a person, /plugins installs and adds nothing", async () => {
  await using market = await gitMarketplace();
  await using place = await quollPlace({ scenario: [], settings: { sandbox: { enabled: false } } });
  for (const words of [`add ${market.url}`, `install ${market.dir}/plugins/shop`]) {
    const ran = await place.run(["-p", `/plugins ${words}`]);
    expect({ code: ran.code, said: ran.err + ran.out }).toEqual({
      code: 1,
      said: expect.stringContaining("`quoll plugin install` in a shell"),
    });
  }
  expect((await place.run(["plugin", "list"])).out).toContain("No plugin is installed");
  expect((await place.run(["plugin", "marketplace", "list"])).out).toContain("There is no marketplace");
});
