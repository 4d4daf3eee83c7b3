import { expect, test } from "bun:test";
import { locateHazard } from "../../../../src/services/tools/bash/locate-hazards.ts";

const VIEW = { folder: "/own/session/tmp", inside: "/tmp", kept: ["/tmp/work", "/tmp/home"], writable: ["/tmp/work"] };
const paths = async (...named: readonly string[]) =>
  (await locateHazard({ kind: "deletes", text: "deletes files", paths: named }, { real: "/", logical: "/" }, VIEW))
    ?.paths;

test("a deleted file below /tmp is the session's, and all of /tmp also holds a workspace there", async () => {
  expect(await paths("/tmp/x")).toEqual(["/own/session/tmp/x"]);
  expect(await paths("/tmp")).toEqual(["/own/session/tmp", "/tmp/work"]);
  expect(await paths("/tmp/")).toEqual(["/own/session/tmp", "/tmp/work"]);
  expect(await paths("/tmp/work/a")).toEqual(["/tmp/work/a"]);
});
