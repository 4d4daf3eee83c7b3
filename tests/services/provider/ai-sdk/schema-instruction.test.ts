import { expect, test } from "bun:test";
import { reply } from "@quoll/model-twin/scenario";
import { asked, played, user } from "./support.ts";

const outputSchema = { type: "object", properties: { sum: { type: "number" } } } as const;

test.each(["json", "none"] as const)(
  "a server whose answers have the form %s is told the schema in words",
  async (form) => {
    const quirks = { structuredOutput: form };
    const request = asked([user("Add.")], { outputSchema });
    const { requests, error } = await played("compatible", [reply('{"sum":3}')], { request, quirks });
    expect([error, requests.map(({ rejected }) => rejected)]).toEqual([undefined, [[]]]);
    const { messages } = requests[0]!.body as { messages: readonly { role: string; content: string }[] };
    expect(messages[0]).toEqual({
      role: "system",
      content: `Be brief.\n\nAnswer with JSON alone, of this schema: ${JSON.stringify(outputSchema)}`,
    });
  },
);

test("a server that accepts the schema receives the schema once", async () => {
  const request = asked([user("Add.")], { outputSchema });
  const { requests } = await played("compatible", [reply('{"sum":3}')], { request });
  const { messages } = requests[0]!.body as { messages: readonly { content: string }[] };
  expect(messages[0]?.content).toBe("Be brief.");
});
