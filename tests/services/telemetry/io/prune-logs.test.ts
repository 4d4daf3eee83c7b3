import { expect, test } from "bun:test";
import { readdirSync, utimesSync } from "node:fs";
import { logFiles, MAX_LOG_AGE_DAYS, MAX_LOGS, pruneLogs } from "../../../../src/services/telemetry/io/prune-logs.ts";
import { tempProject } from "../../../support/temp-project.ts";

const DAY_SECONDS = 24 * 60 * 60;
const NOW_SECONDS = 1_700_000_000;

test("old logs go, of the others the newest stay, and other files are left alone", async () => {
  await using place = await tempProject({ "notes.txt": "mine" });
  const name = (index: number) => `${String(index).padStart(3, "0")}.log`;
  for (let index = 0; index < MAX_LOGS + 5; index += 1) {
    const path = await place.write(name(index), "x");
    const time = NOW_SECONDS - index - (index === 3 ? (MAX_LOG_AGE_DAYS + 1) * DAY_SECONDS : 0);
    utimesSync(path, time, time);
  }
  pruneLogs(place.dir, NOW_SECONDS * 1_000);
  const kept = Array.from({ length: MAX_LOGS + 1 }, (_, index) => name(index)).filter((one) => one !== name(3));
  expect(readdirSync(place.dir).sort()).toEqual([...kept, "notes.txt"]);
  expect(logFiles(place.dir)[0]?.path).toBe(place.path(name(0)));
});

test("a missing folder has no logs and nothing to prune", async () => {
  await using place = await tempProject();
  pruneLogs(place.path("none"), NOW_SECONDS * 1_000);
  expect(logFiles(place.path("none"))).toEqual([]);
});
