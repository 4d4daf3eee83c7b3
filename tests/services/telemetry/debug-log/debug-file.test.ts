import { expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { DEBUG_TOPICS } from "../../../../src/contracts/debug.ts";
import { createRedactor } from "../../../../src/services/redaction/create-redactor.ts";
import { DebugFile } from "../../../../src/services/telemetry/debug-log/debug-file.ts";
import { NO_SECRETS } from "../../../support/engine-harness.ts";
import { fakeClock } from "../../../support/fake-clock.ts";
import { tempProject } from "../../../support/temp-project.ts";

const PARTS = { topics: DEBUG_TOPICS, redactor: NO_SECRETS, clock: fakeClock() };
const TIME = "2026-01-02T03:04:05.000Z";

test("an entry has its time and topic, further lines are indented, and escape sequences are gone", async () => {
  await using place = await tempProject();
  const file = new DebugFile({ ...PARTS, path: place.path("debug/a.log") });
  file.write("tools", "first\nsecond \u001b[31mred\u001b[0m");
  file.write("permissions", "x");
  file.close();
  expect(await place.read("debug/a.log")).toBe(
    `${TIME} tools        first\n${" ".repeat(25)}second red\n${TIME} permissions  x\n`,
  );
});

test("only this user can read the log and its folder", async () => {
  await using place = await tempProject();
  new DebugFile({ ...PARTS, path: place.path("debug/a.log") }).close();
  const mode = (path: string) => statSync(place.path(path)).mode & 0o777;
  expect([mode("debug"), mode("debug/a.log")]).toEqual([0o700, 0o600]);
});

test("topics that were not asked for are left out, faults and the session's own entries never", async () => {
  await using place = await tempProject();
  const file = new DebugFile({ ...PARTS, topics: ["api"], path: place.path("a.log") });
  for (const tag of [...DEBUG_TOPICS, "log", "fault"] as const) file.write(tag, `about ${tag}`);
  file.close();
  expect([...(await place.read("a.log")).matchAll(/about (\w+)/g)].map(([, tag]) => tag)).toEqual([
    "api",
    "log",
    "fault",
  ]);
});

test("a credential is hidden whole before a long entry is cut", async () => {
  await using place = await tempProject();
  const secret = "s3cret-".repeat(10);
  const redactor = { redact: (text: string) => text.replaceAll(secret, "[hidden]") };
  const file = new DebugFile({ ...PARTS, redactor, path: place.path("a.log") });
  file.write("tools", `${"x".repeat(7_980)}${secret}${"y".repeat(1_000)}`);
  file.close();
  const text = await place.read("a.log");
  expect([text.includes("s3cret"), text.includes("[hidden]"), /\((\d+) more characters\)/.exec(text)?.[1]]).toEqual([
    false,
    true,
    String(7_980 + "[hidden]".length + 1_000 - 8_000),
  ]);
});

test("a log ends at its size with a line that says so, and a full one starts anew with the next process", async () => {
  await using place = await tempProject();
  const path = place.path("a.log");
  const maxBytes = 2_000;
  const file = new DebugFile({ ...PARTS, path, maxBytes });
  for (let i = 0; i < 100; i += 1) file.write("api", `entry ${i}`);
  file.close();
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  expect(statSync(path).size).toBeLessThanOrEqual(maxBytes);
  expect([lines[0], lines.at(-1)]).toEqual([
    expect.stringContaining("entry 0"),
    expect.stringContaining("largest size"),
  ]);
  expect(lines.filter((line) => line.includes("largest size"))).toHaveLength(1);

  const next = new DebugFile({ ...PARTS, path, maxBytes });
  next.write("api", "anew");
  next.close();
  const more = new DebugFile({ ...PARTS, path, maxBytes });
  more.write("api", "goes on");
  more.close();
  expect(
    readFileSync(path, "utf8")
      .split("\n")
      .map((line) => line.split("  ").at(-1)),
  ).toEqual(["anew", "goes on", ""]);
});

test("a credential with an escape sequence inside is hidden", async () => {
  await using place = await tempProject();
  const redactor = await createRedactor({ key: new Uint8Array(32).fill(7) });
  const file = new DebugFile({ ...PARTS, redactor, path: place.path("a.log") });
  const [start, rest] = ["gh", "p_aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA3bC6"];
  file.write("tools", `${start}\u001b[31m${rest}`);
  file.close();
  expect(await place.read("a.log")).not.toContain(rest.slice(2));
});
