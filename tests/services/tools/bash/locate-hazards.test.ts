import { expect, test } from "bun:test";
import { locateHazard } from "../../../../src/services/tools/bash/locate-hazards.ts";
import { tempProject } from "../../../support/temp-project.ts";

test("a deleted file below /tmp is the session's, and all of /tmp also holds a workspace there", async () => {
  await using own = await tempProject();
  const folder = own.path("session/tmp");
  const view = { folder, inside: "/tmp", kept: ["/tmp/work", "/tmp/home"], writable: ["/tmp/work"] };
  const paths = async (path: string) =>
    (
      await locateHazard(
        { kind: "deletes", text: "deletes files", paths: [path] },
        { real: "/", logical: "/" },
        { ...view, kept: [...view.kept, own.dir] },
      )
    )?.paths;
  const name = `quoll-absent-${crypto.randomUUID()}`;
  expect(await paths(`/tmp/${name}`)).toEqual([`${folder}/${name}`]);
  expect(await paths("/tmp")).toEqual([folder, "/tmp/work"]);
  expect(await paths("/tmp/")).toEqual([folder, "/tmp/work"]);
  expect(await paths("/tmp/work/a")).toEqual(["/tmp/work/a"]);
});
