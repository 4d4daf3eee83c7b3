import { expect, test } from "bun:test";
import { quollPlace } from "../support/quoll-process.ts";

test("a run without a person never looks for servers on this machine", async () => {
  let asked = 0;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => {
      asked += 1;
      return Response.json({ data: [{ id: "qwen3" }] });
    },
  });
  try {
    await using here = await quollPlace();
    const env = { OLLAMA_HOST: `127.0.0.1:${server.port}` };
    expect((await here.run(["-p", "hi"], { env })).code).toBe(1);
    const stream = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
    const line = `${JSON.stringify({ type: "user", message: { role: "user", content: "hi" } })}\n`;
    await here.run(["-p", ...stream], { env, stdin: line });
    expect(asked).toBe(0);
    const named = await here.run(["-p", "hi", "--model", "ollama/qwen3"], { env });
    expect([asked > 0, named.code]).toEqual([true, 1]);
  } finally {
    await server.stop(true);
  }
}, 20_000);
