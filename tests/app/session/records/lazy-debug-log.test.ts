import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { processEnvironment } from "../../../../src/app/process-environment.ts";
import { openDebugging } from "../../../../src/app/session/records/lazy-debug-log.ts";
import type { DebugWiring } from "../../../../src/app/session/records/open-debug-log.ts";
import { DEBUG_TOPICS } from "../../../../src/contracts/debug.ts";
import { ToolFailedError, UserFacingError } from "../../../../src/contracts/errors.ts";
import { systemClock } from "../../../../src/platform/clock.ts";
import { NO_SECRETS } from "../../../support/engine-harness.ts";
import { tempProject } from "../../../support/temp-project.ts";

async function debugPlace(wiring: Partial<DebugWiring>) {
  const place = await tempProject();
  const told: string[] = [];
  const debugging = await openDebugging({
    around: processEnvironment({ HOME: place.dir }),
    version: "1.2.3",
    sessionId: "abc",
    topics: undefined,
    isSaved: true,
    about: [],
    clock: systemClock,
    redactor: async () => NO_SECRETS,
    notify: (line) => told.push(line),
    ...wiring,
  });
  const file = ".local/state/quoll/debug/abc.log";
  return {
    ...debugging,
    told,
    exists: () => existsSync(place.path(file)),
    log: () => place.read(file),
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}

test("without --debug a fault makes the log that holds its stack, and nothing else does", async () => {
  await using place = await debugPlace({});
  expect(place.noteFault(new UserFacingError("no such file"))).toBe("");
  expect(place.noteFault(new ToolFailedError("no match"))).toBe("");
  expect(place.noteFault(Object.assign(new Error("full"), { code: "ENOSPC" }))).toBe("");
  expect(place.exists()).toBe(false);
  expect(place.noteFault(new TypeError("x is not a function"))).toContain("~/.local/state/quoll/debug/abc.log");
  await place.close();
  expect(await place.log()).toMatch(/fault +TypeError: x is not a function\n +at /);
});

test("a session that keeps nothing on disk says how to see the stack of a fault instead of writing it", async () => {
  await using place = await debugPlace({ isSaved: false });
  expect(place.noteFault(new TypeError("x"))).toContain("--debug");
  await place.close();
  expect(place.exists()).toBe(false);
});

test("with --debug every error keeps its stack, and only a bug in Quoll is reported to the person", async () => {
  await using place = await debugPlace({ topics: DEBUG_TOPICS, isSaved: false });
  expect(place.told).toEqual([expect.stringContaining("abc.log")]);
  expect(place.noteFault(new UserFacingError("no such file"))).toBe("");
  expect(place.noteFault(new TypeError("x"))).toContain("abc.log");
  await place.close();
  const log = await place.log();
  expect([log.includes("UserFacingError: no such file\n"), log.includes("TypeError: x\n")]).toEqual([true, true]);
});
