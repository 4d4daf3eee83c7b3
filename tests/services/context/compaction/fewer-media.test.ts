import { expect, test } from "bun:test";
import type { CompactionView, StageContext } from "../../../../src/contracts/compactor.ts";
import type { CountLimit } from "../../../../src/contracts/errors.ts";
import type { Message, UserBlock } from "../../../../src/contracts/message.ts";
import { fewerMedia } from "../../../../src/services/context/compaction/fewer-media.ts";

const image = (data: string): UserBlock => ({ type: "image", mediaType: "image/png", data });
const pdf: UserBlock = { type: "document", mediaType: "application/pdf", data: "JVBER" };
const result = (...content: Exclude<UserBlock, { type: "tool_result" }>[]): UserBlock => ({
  type: "tool_result",
  toolUseId: "t",
  content,
  isError: false,
});
const said = (id: string, ...content: UserBlock[]): Message => ({ role: "user", id, content });

async function leftOut(messages: readonly Message[], countLimit: CountLimit) {
  const view = { why: "image_too_large", messages, countLimit } as unknown as CompactionView;
  const done = await fewerMedia().run(view, {} as StageContext);
  return done?.stubs.map(({ messageId, at, block }) => [
    messageId,
    at,
    JSON.stringify(block).match(/was here/g)?.length,
  ]);
}

const FIVE = [
  said("a", { type: "text", text: "see" }, image("1")),
  said("b", result({ type: "text", text: "two" }, image("2") as never, image("3") as never)),
  said("c", image("4"), pdf),
];

test("the oldest images go first, wherever they stand, and a part of the limit stays free", async () => {
  expect(await leftOut(FIVE, { what: "images", max: 3 })).toEqual([
    ["a", 1, 1],
    ["b", 0, 1],
  ]);
  expect(await leftOut(FIVE, { what: "media", max: 4 })).toEqual([
    ["a", 1, 1],
    ["b", 0, 1],
  ]);
});

test("one image stays where the server takes one, and no image where it takes none", async () => {
  expect(await leftOut(FIVE, { what: "images", max: 1 })).toHaveLength(2);
  expect((await leftOut(FIVE, { what: "images", max: 0 }))?.map(([id]) => id)).toEqual(["a", "b", "c"]);
});

test("half of the images go if the server states no limit, or one that counts pages", async () => {
  expect(await leftOut(FIVE, { what: "images" })).toEqual([
    ["a", 1, 1],
    ["b", 0, 1],
  ]);
  expect(await leftOut(FIVE, { what: "media", max: 100 })).toHaveLength(2);
});

test("documents alone are left out if only they are too many", async () => {
  expect(await leftOut([...FIVE, said("d", pdf)], { what: "documents", max: 1 })).toEqual([["c", 1, 1]]);
});

test("nothing is left out for another reason, or if there is nothing", async () => {
  expect(await leftOut([said("a")], { what: "images", max: 1 })).toBeUndefined();
  const view = { why: "image_too_large", messages: FIVE } as unknown as CompactionView;
  expect(await fewerMedia().run(view, {} as StageContext)).toBeUndefined();
});
