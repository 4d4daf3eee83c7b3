import { expect, setDefaultTimeout } from "bun:test";
import { failing, fault, reply } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

deepTest("/usage shows the limits that the provider reported in this session, and the caps", async () => {
  const headers = {
    "anthropic-ratelimit-unified-5h-utilization": "1",
    "anthropic-ratelimit-unified-5h-reset": `${Math.floor(Date.now() / 1_000) + 1_800}`,
  };
  await using here = await quollPlace({
    settings: { sandbox: { enabled: false }, spend: { dayUsd: 5 } },
    scenario: [failing(fault.status(429, { retryAfter: 0, headers })), reply("Done.")],
  });
  await using terminal = terminalProcess([...QUOLL, "--trust"], {
    cwd: here.project.dir,
    env: here.environmentOf({}),
  });
  await terminal.shows("? for keys");
  terminal.type("/usage\r");
  await terminal.shows("has reported no limits");
  terminal.type("go\r");
  await terminal.shows("● Done.");
  await terminal.shows(/100% of your 5h limit is used.* in (?:29|30) min/);
  terminal.type("/usage\r");
  await terminal.shows(/anthropic, told just now\s+5h +█{10} {2}100% used · resets in (?:29|30) min/);
  expect(terminal.screen).toContain("spend.dayUsd");
});
