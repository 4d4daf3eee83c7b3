import { expect } from "bun:test";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { oauthPlace } from "../services/mcp/oauth-place.ts";
import type { Seen } from "../services/mcp/servers/http-server.ts";
import { deepTest } from "../support/deep.ts";
import { quollPlace } from "../support/quoll-process.ts";

/** A browser that follows every redirect and shows nothing. */
const BROWSER = '#!/bin/sh\nexec curl -sL -o /dev/null "$1"\n';

/** A server that answers a call with the token that it got. */
function echoOfToken({ body, headers }: Seen): Response | undefined {
  if (!body.includes('"tools/call"')) return undefined;
  const text = `your token is ${headers.get("authorization")?.slice("Bearer ".length)}`;
  return Response.json({ jsonrpc: "2.0", id: JSON.parse(body).id, result: { content: [{ type: "text", text }] } });
}

deepTest("quoll mcp login opens the browser, -p uses the login, and logout removes it", async () => {
  await using remote = await oauthPlace({ intercept: echoOfToken });
  await using place = await quollPlace({
    scenario: [reply([toolUse("mcp__docs__add_numbers", { a: 2, b: 3 })]), reply("It is 5.")],
  });
  const browser = await place.home.write("browser", BROWSER);
  chmodSync(browser, 0o755);
  const config = JSON.stringify({ mcpServers: { docs: { type: "http", url: remote.web.url } } });
  const login = await place.run(["mcp", "login", "docs", "--mcp-config", config], { env: { BROWSER: browser } });
  const file = join(place.home.dir, "own/config/mcp-credentials.json");
  expect(login).toMatchObject({ code: 0, out: `Logged in to docs. The login is kept in ${file}, for you alone.\n` });
  expect(login.err).toContain(
    `Your browser opens this page to log in to docs:\n\n  ${remote.authority.url}/authorize?`,
  );
  const asked = await place.run(["-p", "add", "--mcp-config", config, "--allowed-tools", "mcp__docs"]);
  expect(asked).toMatchObject({ code: 0, out: "It is 5.\n", err: "" });
  const [result] = place.sent().at(-1)?.messages.at(-1)?.content ?? [];
  const seen = JSON.stringify(result?.content);
  expect(seen).toContain("your token is");
  expect(seen).not.toContain("at-");
  const logout = await place.run(["mcp", "logout", "docs", "--mcp-config", config]);
  expect(logout).toMatchObject({ code: 0, out: "Logged out of docs: the saved login was removed.\n", err: "" });
  await place.nextTwin([reply("Not now.")]);
  const later = await place.run(["-p", "add", "--mcp-config", config]);
  expect(later.err).toContain("docs");
  expect(later.err).toContain("it needs a login: run `quoll mcp login docs`");
  expect(remote.authority.count("/authorize")).toBe(1);
});

deepTest("without a browser, the address of the last page is pasted", async () => {
  await using remote = await oauthPlace();
  await using place = await quollPlace();
  const config = JSON.stringify({ mcpServers: { docs: { type: "http", url: remote.web.url } } });
  const script = `
    mkfifo answer; : > err
    exec 3<>answer
    "$@" <answer 2>err &
    until address=$(grep -o 'http://127.*authorize.*' err); do :; done
    echo "nonsense" >&3
    curl -s -o /dev/null -w '%{redirect_url}\\n' "$address" >&3
    wait $!`;
  const { QUOLL } = await import("../support/quoll-process.ts");
  const words = [...QUOLL, "mcp", "login", "docs", "--no-browser", "--mcp-config", config];
  const shell = Bun.spawn(["bash", "-c", script, "bash", ...words], {
    cwd: place.project.dir,
    env: place.environmentOf({}),
    stdout: "pipe",
    timeout: 20_000,
  });
  expect(await new Response(shell.stdout).text()).toStartWith("Logged in to docs. ");
  expect(await shell.exited).toBe(0);
  expect(await Bun.file(place.project.path("err")).text()).toContain("This is not the address that the login ended on");
});

deepTest("a server that is not configured is refused with the names of the others", async () => {
  await using place = await quollPlace();
  const config = JSON.stringify({ mcpServers: { docs: { type: "http", url: "http://127.0.0.1:1/mcp" } } });
  expect(await place.run(["mcp", "login", "dosc", "--mcp-config", config])).toMatchObject({
    code: 2,
    err: 'quoll: There is no MCP server "dosc": did you mean docs?\n',
  });
  expect(await place.run(["mcp", "login", "docs", "--mcp-config", config])).toMatchObject({
    code: 1,
    err: "quoll: No login to docs: http://127.0.0.1:1 is unreachable (connection refused).\n",
  });
});
