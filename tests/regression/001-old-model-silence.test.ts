import { expect, test } from "bun:test";
import { reply } from "@quoll/model-twin/scenario";
import { quollPlace } from "../support/quoll-process.ts";

test("a model that the SDK calls deprecated is used without the SDK writing to our terminal", async () => {
  await using here = await quollPlace({ scenario: [reply("Still here.")] });

  expect(await here.run(["-p", "hello", "--model", "claude-sonnet-4-5"])).toEqual({
    code: 0,
    out: "Still here.\n",
    err: "",
  });
});
