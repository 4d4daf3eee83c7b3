import { expect, test } from "bun:test";
import { callResultSchema, readCallResult } from "../../../../src/services/mcp/tools/read-result.ts";
import { PIXEL } from "../servers/tool-server.ts";

const read = (answer: unknown) => readCallResult(callResultSchema.parse(answer));
const pdf = Buffer.from("%PDF-1.7 …").toString("base64");

test("texts are joined, empty ones left out", async () => {
  const content = [
    { type: "text", text: "one" },
    { type: "text", text: " \n" },
    { type: "text", text: "two" },
  ];
  expect(await read({ content })).toEqual({ content: "one\ntwo" });
  expect(await read({})).toEqual({ content: "" });
});

test("an image is known by its bytes, whatever it is said to be", async () => {
  const image = { type: "image", mediaType: "image/png", data: PIXEL } as const;
  const content = [
    { type: "image", data: PIXEL, mimeType: "image/svg+xml" },
    { type: "image", data: `data:image/png;base64,${PIXEL.slice(0, 10)}\n${PIXEL.slice(10)}`, mimeType: 7 },
    { type: "image", data: Buffer.from("<svg/>").toString("base64"), mimeType: "image/png" },
  ];
  expect(await read({ content })).toEqual({
    content: [image, image, { type: "text", text: "[image, image/png, 6 bytes: it can't be shown]" }],
  });
});

test("an error carries text alone, as APIs ask", async () => {
  const content = [
    { type: "text", text: "no" },
    { type: "image", data: PIXEL, mimeType: "image/png" },
    { type: "resource", resource: { uri: "file:///a.pdf", blob: pdf } },
  ];
  expect(await read({ isError: true, content })).toEqual({
    content:
      "no\n[image, image/png, 70 bytes: left out of an error]\n[resource file:///a.pdf, 12 bytes: it can't be shown]",
    isError: true,
  });
});

test("too many images are counted off", async () => {
  const content = Array.from({ length: 22 }, () => ({ type: "image", data: PIXEL, mimeType: "image/png" }));
  const result = await read({ content });
  const kinds = Array.isArray(result.content) ? result.content.map(({ type }) => type) : [];
  expect(kinds).toEqual([...Array(20).fill("image"), "text", "text"]);
});

test("embedded resources and links are named with their address", async () => {
  const content = [
    { type: "resource", resource: { uri: "file:///a.txt", mimeType: "text/plain", text: "inside" } },
    { type: "resource", resource: { uri: "file:///b.png", blob: PIXEL } },
    { type: "resource", resource: { uri: "file:///c.pdf", blob: pdf } },
    { type: "resource", resource: { uri: "file:///d.zip", blob: "UEsDBA==", mimeType: "application/zip" } },
    { type: "resource_link", uri: "file:///e", name: "E", description: "the\nfifth", mimeType: "text/x", size: 9 },
    { type: "audio", data: "AAAA", mimeType: "audio/wav" },
  ];
  expect(await read({ content })).toEqual({
    content: [
      { type: "text", text: "[resource file:///a.txt (text/plain)]\ninside" },
      { type: "text", text: "[resource file:///b.png]" },
      { type: "image", mediaType: "image/png", data: PIXEL },
      { type: "text", text: "[resource file:///c.pdf]" },
      { type: "document", mediaType: "application/pdf", data: pdf },
      { type: "text", text: "[resource file:///d.zip (application/zip), 4 bytes: it can't be shown]" },
      { type: "text", text: "[link to a resource: E: file:///e (text/x, 9 bytes) – the fifth]" },
      { type: "text", text: "[audio, audio/wav, 3 bytes: it can't be shown]" },
    ],
  });
});

test("structured content is given once: not again where a text says the same", async () => {
  const contentOf = async (given: object) => (await read(given)).content;
  const structuredContent = { a: [1, { b: null }] };
  const said = { type: "text", text: '{ "a": [1, {"b": null}] }' };
  expect(await contentOf({ content: [said], structuredContent })).toEqual(said.text);
  expect(await contentOf({ content: [], structuredContent })).toEqual('{"a":[1,{"b":null}]}');
  expect(await contentOf({ content: [{ type: "text", text: "Done." }], structuredContent })).toEqual(
    'Done.\n{"a":[1,{"b":null}]}',
  );
  const plain = { type: "text", text: "line one\nline two" };
  expect(await contentOf({ content: [plain], structuredContent: { content: plain.text } })).toEqual(plain.text);
  const list = { type: "text", text: '[{"name": "a"}]' };
  expect(await contentOf({ content: [list], structuredContent: { entities: [{ name: "a" }] } })).toEqual(list.text);
  expect(await contentOf({ content: [plain], structuredContent: { content: plain.text, more: 1 } })).toEqual(
    'line one\nline two\n{"content":"line one\\nline two","more":1}',
  );
  expect(await contentOf({ toolResult: { old: true } })).toEqual('{"old":true}');
});

test("structured content that no text says is described for the screen", async () => {
  const structuredContent = { issues: [{ id: 7, title: "flaky" }] };
  const body = {
    ...{ kind: "table", columns: [{ name: "id", align: "right" }, { name: "title" }], rows: [["7", "flaky"]] },
    isInResult: true,
  };
  const display = { kind: "summary", text: "", body };
  expect(await read({ content: [{ type: "text", text: "One issue." }], structuredContent })).toMatchObject({ display });
  const said = { type: "text", text: JSON.stringify(structuredContent) };
  expect((await read({ content: [said], structuredContent })).display).toBeUndefined();
});

test("a part that can't be read is named, and the other parts stay", async () => {
  expect(
    await read({ content: [{ type: "hologram", data: 1 }, null, { type: "text", text: "fine" }], isError: "no" }),
  ).toEqual({
    content: '[a part that can\'t be read: {"type":"hologram","data":1}]\n[a part that can\'t be read: null]\nfine',
  });
});

test("a result that fills the context is pointed out to the person", async () => {
  const text = (chars: number) => read({ content: [{ type: "text", text: "x".repeat(chars) }] });
  expect((await text(39_000)).display).toBeUndefined();
  expect((await text(48_000)).display).toEqual({ kind: "summary", text: "a large result: about 12k tokens" });
});
