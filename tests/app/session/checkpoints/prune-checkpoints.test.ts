import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { pruneCheckpointsAtStart } from "../../../../src/app/session/checkpoints/prune-checkpoints.ts";
import { agentTurn, checkpointPlace } from "../../../services/checkpoint/checkpoint-place.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

test("checkpoints older than the setting are announced at one start and deleted at the next", async () => {
  await using place = await checkpointPlace({ "a.txt": "a" });
  const folder = place.place.path("data/checkpoints/p");
  const { store } = place.open({ folder });
  await agentTurn(store, place.root, { messageId: "m1", work: () => place.write("a.txt", "agent") });
  await store.close();
  const environment = {
    own: { data: place.place.path("data") },
    project: { root: place.root },
    env: process.env,
    workspace: { roots: [place.root] },
    settings: { checkpoints: { keepDays: 3 } },
  } as unknown as Parameters<typeof pruneCheckpointsAtStart>[0];
  expect(await pruneCheckpointsAtStart(environment, place.now() + 2 * DAY_MS)).toEqual([]);
  const lines = await pruneCheckpointsAtStart(environment, place.now() + 4 * DAY_MS);
  expect(lines).toEqual([expect.stringContaining("checkpoints.keepDays")]);
  expect(existsSync(folder)).toBe(true);
  expect(await pruneCheckpointsAtStart(environment, place.now() + 4 * DAY_MS)).toEqual([]);
  expect(existsSync(folder)).toBe(false);
});
