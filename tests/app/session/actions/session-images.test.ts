import { expect, test } from "bun:test";
import { failing, fault, reply, type Scenario } from "@quoll/model-twin/scenario";
import { oneProcess, sessionIn } from "../../../support/app-harness.ts";
import { deepTest } from "../../../support/deep.ts";
import { tempProject } from "../../../support/temp-project.ts";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const signal = new AbortController().signal;

deepTest("pasted images go with the prompts that name them, and no number is given twice after a resume", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({ "notes.txt": "text", "secret/a.png": "" });
  for (const name of ["a.png", "secret/a.png"]) await Bun.write(project.path(name), Buffer.from(PNG, "base64"));
  const config = { deny: ["Read(./secret/**)"] };
  const { session, events } = await sessionIn(here.app, project.dir, config);
  const paste = session.images;
  expect(await paste.fromFiles(["a.png"], signal)).toEqual({ marks: ["[Image 1]"] });
  expect(await paste.fromFiles(["notes.txt"], signal)).toBeUndefined();
  expect(await paste.fromFiles(["none.png"], signal)).toBeUndefined();
  // The second one has an image's header, and nothing that can be decoded.
  const damaged = Buffer.concat([Buffer.from(PNG, "base64").subarray(0, 40), Buffer.from("garbage")]);
  await Bun.write(project.path("damaged.png"), damaged);
  expect(await paste.fromFiles(["damaged.png"], signal)).toHaveProperty("keepsText", true);
  await Bun.write(project.path("broken.png"), "no image at all");
  expect(await paste.fromFiles(["broken.png"], signal)).toEqual({
    problem: expect.stringContaining("broken.png"),
    keepsText: true,
  });
  expect(await paste.fromFiles(["secret/a.png"], signal)).toHaveProperty("problem");
  const typesSent = async (prompt: string) => {
    await session.main.engine.submit({ prompt });
    const body = here.twin.requests.at(-1)?.body as { messages: { content: { type: string }[] }[] } | undefined;
    return body?.messages.at(-1)?.content.map(({ type }) => type);
  };
  expect(await typesSent("see [Image 1] and [Image 7]")).toContain("image");
  expect(events.flatMap(({ event }) => (event.type === "notice" ? [event.message] : []))).toEqual([
    "Attached [Image 1] (1×1).",
  ]);
  expect(await typesSent("no image")).not.toContain("image");
  const { sessionId } = session.conversation.log;
  await session.close();
  const resumed = await sessionIn(here.app, project.dir, { conversation: { kind: "saved", id: sessionId } });
  expect(await resumed.session.images.fromFiles(["a.png"], signal)).toEqual({ marks: ["[Image 8]"] });
  await resumed.session.close();
});

const refusing: Scenario = ({ body }) =>
  JSON.stringify(body).includes('"type":"image"')
    ? failing(fault.badRequest("messages.0.content.1.image.source.base64.data: Could not process image"))
    : reply("Done.");

deepTest("an image that the server can't read is left out, and the conversation continues", async () => {
  await using here = await oneProcess(refusing);
  await using project = await tempProject({});
  await Bun.write(project.path("a.png"), Buffer.from(PNG, "base64"));
  const { session, events } = await sessionIn(here.app, project.dir, {});
  await session.images.fromFiles(["a.png"], signal);
  const first = await session.main.engine.submit({ prompt: "see [Image 1]" });
  expect(first.outcome).toEqual({ reason: "completed" });
  expect((await session.main.engine.submit({ prompt: "and now?" })).outcome).toEqual({ reason: "completed" });
  expect(JSON.stringify(here.twin.requests.at(-1)?.body)).toContain("refused it");
  const continued = events.flatMap(({ event }) => (event.type === "continued" ? [event.reason] : []));
  expect(continued).toEqual(["images_reduced", "images_reduced"]);
  await session.close();
});

/** A server that takes three images in a request. */
const counting: Scenario = ({ body }) => {
  const images = JSON.stringify(body).split('"type":"image"').length - 1;
  return images > 3 ? failing(fault.badRequest(`too many images and documents: ${images} + 0 > 3`)) : reply("Done.");
};

deepTest(
  "more images than the server takes: the oldest are left out, the turn goes on, and a resumed session sends the same",
  async () => {
    await using here = await oneProcess(counting);
    await using project = await tempProject({});
    await Bun.write(project.path("a.png"), Buffer.from(PNG, "base64"));
    const { session, events } = await sessionIn(here.app, project.dir, {});
    for (const number of [1, 2, 3, 4, 5, 6]) {
      await session.images.fromFiles(["a.png"], signal);
      const { outcome } = await session.main.engine.submit({ prompt: `see [Image ${number}]` });
      expect([number, outcome]).toEqual([number, { reason: "completed" }]);
    }
    const continued = events.flatMap(({ event }) => (event.type === "continued" ? [event.reason] : []));
    expect(continued).toEqual(["media_left_out", "media_left_out"]);
    const last = here.twin.requests.at(-1)?.body as { messages: unknown[] };
    expect(JSON.stringify(last).match(/"type":"image"/g)).toHaveLength(2);
    const { sessionId } = session.conversation.log;
    await session.close();
    const resumed = await sessionIn(here.app, project.dir, { conversation: { kind: "saved", id: sessionId } });
    await resumed.session.main.engine.submit({ prompt: "and now?" });
    const again = here.twin.requests.at(-1)?.body as { messages: unknown[] };
    const texts = (body: { messages: unknown[] }) =>
      JSON.stringify(body.messages.slice(0, 7)).replace(/,"cache_control":{[^}]*}/g, "");
    expect(texts(again)).toBe(texts(last));
    await resumed.session.close();
  },
  60_000,
);

test("the prompt that a rewind brings back still has its image in another process, and its number stays taken", async () => {
  await using here = await oneProcess();
  await using project = await tempProject({});
  await Bun.write(project.path("a.png"), Buffer.from(PNG, "base64"));
  const { session } = await sessionIn(here.app, project.dir);
  await session.images.fromFiles(["a.png"], signal);
  await session.main.engine.submit({ prompt: "see [Image 1]" });
  const { sessionId } = session.conversation.log;
  await session.close();
  const resumed = await sessionIn(here.app, project.dir, { conversation: { kind: "saved", id: sessionId } });
  const { rewinds } = resumed.session.commands.context;
  const [point] = (await rewinds?.points(signal)) ?? [];
  const back = await rewinds?.rewind({ messageId: point?.messageId ?? "", scope: "conversation" }, signal);
  expect(back?.prompt).toBe("see [Image 1]");
  expect(await resumed.session.images.fromFiles(["a.png"], signal)).toEqual({ marks: ["[Image 2]"] });
  await resumed.session.main.engine.submit({ prompt: `${back?.prompt} and [Image 7]` });
  const body = here.twin.requests.at(-1)?.body as { messages: { content: { type: string }[] }[] };
  expect(body.messages.flatMap(({ content }) => content.filter(({ type }) => type === "image"))).toHaveLength(1);
  await resumed.session.close();
});
