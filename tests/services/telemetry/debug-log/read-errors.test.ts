import { expect, test } from "bun:test";
import { DEBUG_TOPICS } from "../../../../src/contracts/debug.ts";
import { DebugFile } from "../../../../src/services/telemetry/debug-log/debug-file.ts";
import { readErrors } from "../../../../src/services/telemetry/debug-log/read-errors.ts";
import { NO_SECRETS } from "../../../support/engine-harness.ts";
import { fakeClock } from "../../../support/fake-clock.ts";
import { tempProject } from "../../../support/temp-project.ts";

test("faults with their stack and failed requests are read back from a log", async () => {
  await using place = await tempProject();
  const clock = fakeClock();
  const file = new DebugFile({ path: place.path("a.log"), topics: DEBUG_TOPICS, redactor: NO_SECRETS, clock });
  file.write("api", "request 1 ok after 3 ms");
  file.write("fault", "TypeError: x\n    at one\n    at two");
  file.write("tools", "t1 failed after 2 ms");
  file.write("api", "request 2 failed after 4 ms, 1 attempt: status 400: no");
  file.close();
  const time = "2026-01-02T03:04:05.000Z";
  expect(readErrors(await place.read("a.log"), "s1")).toEqual([
    { time, sessionId: "s1", text: "TypeError: x\nat one\nat two" },
    { time, sessionId: "s1", text: "request 2 failed after 4 ms, 1 attempt: status 400: no" },
  ]);
});
