import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, statSync } from "node:fs";
import { connectLines, openLineServer } from "../../src/platform/line-socket.ts";
import { tempProject } from "../support/temp-project.ts";

const IGNORED = { line: () => undefined, closed: () => undefined };

test("lines arrive whole and in order, with any text in them, and both sides learn of the end", async () => {
  await using place = await tempProject({});
  chmodSync(place.dir, 0o700);
  const path = place.path("s");
  const ended = Promise.withResolvers<void>();
  const server = await openLineServer(path, (connection) => ({
    line: (text) => connection.send(`got ${text}`),
    closed: () => ended.resolve(),
  }));
  const lines: string[] = [];
  const all = Promise.withResolvers<void>();
  const connection = await connectLines(path, () => ({
    line: (text) => (lines.push(text) === 3 ? all.resolve() : undefined),
    closed: () => undefined,
  }));
  const long = "漢字👍".repeat(100_000);
  for (const text of ["one", long, "three"]) connection?.send(text);
  await all.promise;
  expect(lines).toEqual(["got one", `got ${long}`, "got three"]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  connection?.close();
  await ended.promise;
  await server.close();
  expect(await connectLines(path, () => IGNORED)).toBeUndefined();
});

test("a folder that others can enter, and a path that is too long, are refused", async () => {
  await using place = await tempProject({});
  mkdirSync(place.path("open"));
  chmodSync(place.path("open"), 0o755);
  await expect(openLineServer(place.path("open/s"), () => IGNORED)).rejects.toThrow("chmod 700");
  await expect(openLineServer(place.path("x".repeat(120)), () => IGNORED)).rejects.toThrow("103 bytes");
  await expect(connectLines(place.path("x".repeat(120)), () => IGNORED)).rejects.toThrow("103 bytes");
});
