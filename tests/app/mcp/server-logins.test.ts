import { expect, test } from "bun:test";
import { ServerLogins } from "../../../src/app/mcp/server-logins.ts";
import { mcpHarness } from "../../services/mcp/mcp-harness.ts";
import { oauthPlace } from "../../services/mcp/oauth-place.ts";

const NEVER = new AbortController().signal;
const nothing = () => undefined;

test("a login in a session without a browser continues until the address of its last page is pasted", async () => {
  await using place = await oauthPlace();
  await using mcp = await mcpHarness({ logins: place.logins() });
  await mcp.start(place.web.config("docs"));
  const logins = new ServerLogins(() => mcp.client);
  await expect(logins.paste("docs", "http://localhost/")).rejects.toThrow(
    "no login waits for an address: start one with /mcp login docs",
  );
  const step = await logins.logIn("docs", nothing, NEVER);
  if (!("address" in step)) throw new Error("It did not wait for the person.");
  expect(await logins.paste("docs", "http://localhost/elsewhere")).toStartWith("This is not the address");
  const { headers } = await fetch(step.address, { redirect: "manual" });
  expect(await logins.paste("docs", headers.get("location") ?? "")).toStartWith("Logged in to docs.");
  expect(mcp.state("docs").status).toBe("connected");
});

test("a second login to a server ends the first one", async () => {
  await using place = await oauthPlace();
  await using mcp = await mcpHarness({ logins: place.logins() });
  await mcp.start(place.web.config("docs"));
  const logins = new ServerLogins(() => mcp.client);
  const first = await logins.logIn("docs", nothing, NEVER);
  const second = await logins.logIn("docs", nothing, NEVER);
  if (!("address" in first && "address" in second)) throw new Error("They did not wait for the person.");
  await expect(fetch(first.address)).rejects.toThrow();
  expect((await fetch(second.address)).status).toBe(200);
});
