import { expect, setDefaultTimeout, test } from "bun:test";
import { reply } from "@quoll/model-twin/scenario";
import { quollPlace } from "../support/quoll-process.ts";

setDefaultTimeout(60_000);

test("-p sends the content of a mentioned file, and says so on stderr", async () => {
  await using here = await quollPlace({
    files: { "src/a.ts": "const answer = 42;\n" },
    scenario: [reply("It is 42.")],
  });
  const { code, out, err } = await here.run(["-p", "explain @src/a.ts"]);
  expect({ code, out }).toEqual({ code: 0, out: "It is 42.\n" });
  expect(err).toContain("Attached src/a.ts");
  const texts =
    here
      .sent()[0]
      ?.messages.at(-1)
      ?.content.map(({ text }) => text) ?? [];
  expect(texts.at(-1)).toBe("explain @src/a.ts");
  expect(texts.at(-2)).toContain("const answer = 42;");
});
