import { describe, expect, test } from "bun:test";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { isDeep, testOrDeep } from "../support/deep.ts";
import { runCommand } from "../support/run-command.ts";
import { SHORT_RUN } from "../support/short-run.ts";
import { SELF_SIGNED } from "../support/tls-front.ts";
import { ADAPTERS } from "./adapters.ts";
import { played } from "./play.ts";

const LIMIT_MS = 60_000;
/** They have the network stack in common: `npm test` tries every third. */
const TRIED = ADAPTERS.filter((_, at) => isDeep || at % 3 === 0);
const REPLIES = [reply([toolUse("Look", { text: "a" })]), reply("Done.")];
const DONE = 'finished 2 completed: "Done."';
const PROXY = { variable: "HTTPS_PROXY", is: "right" } as const;

// The runtime reads the variable once, at its start: this file runs itself again with it.
if (process.env["NODE_EXTRA_CA_CERTS"] === SELF_SIGNED) {
  describe.each(TRIED.map((adapter) => [adapter.name, adapter] as const))(
    "%s with NODE_EXTRA_CA_CERTS",
    (_, adapter) => {
      test("trusts an authority of one's own", async () => {
        expect((await played(adapter, { replies: REPLIES, at: "self-signed" })).at(-1)).toBe(DONE);
      });
      test("also through the tunnel of a proxy", async () => {
        expect((await played(adapter, { replies: REPLIES, at: "self-signed", proxy: PROXY })).at(-1)).toBe(DONE);
      });
    },
  );
} else {
  testOrDeep(!isDeep)(
    "with NODE_EXTRA_CA_CERTS each adapter trusts an authority of one's own, directly and through a proxy's tunnel",
    async () => {
      const command = [process.execPath, "test", import.meta.path];
      const env = { NODE_EXTRA_CA_CERTS: SELF_SIGNED, ...(isDeep ? { TEST_DEEP: "1" } : SHORT_RUN) };
      const { code, err } = await runCommand(command, { cwd: import.meta.dir, env });
      expect([code, / (\d+) pass/.exec(err)?.[1], err]).toEqual([0, `${TRIED.length * 2}`, expect.any(String)]);
    },
    LIMIT_MS,
  );
}
