import { expect, test } from "bun:test";
import { folderOfCleared, placedCleared } from "../../../../src/app/session/saved/placed-sessions.ts";
import { asUser, openLog } from "../../../services/session/support.ts";
import { tempProject } from "../../../support/temp-project.ts";

test("a conversation that a clear ended is found in every project, with its folder, by at least four characters", async () => {
  await using home = await tempProject({});
  const own = { data: home.path("data") };
  const ended = ["one", "two"].map((project) => {
    const log = openLog({ folder: home.path(`data/sessions/${project}`), sessionId: project });
    log.append(asUser(`prompt of ${project}`));
    const id = log.append({ kind: "cleared" });
    log.close();
    return id;
  });
  const all = await placedCleared(own);
  expect(new Set(all.map(({ id, projectId }) => `${projectId} ${id}`))).toEqual(
    new Set(ended.map((id, at) => `${["one", "two"][at]} ${id}`)),
  );
  const [{ id = "", folder = "" } = {}] = all;
  expect(folder).not.toBe("");
  expect(await folderOfCleared(own, id)).toBe(folder);
  for (const wanted of [id.slice(0, 3), "zzzzzz", ""]) expect(await folderOfCleared(own, wanted)).toBeUndefined();
});
