import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { builtArtefacts } from "../support/built.ts";
import { deepTest, eachOrDeep } from "../support/deep.ts";
import { quollPlace, resultsIn } from "../support/quoll-process.ts";
import { runCommand } from "../support/run-command.ts";
import { textPdf } from "../support/text-pdf.ts";

setDefaultTimeout(60_000);

const fixture = (name: string) => readFileSync(join(import.meta.dir, "../support/documents", name));
const reading = (file_path: string, more = {}) =>
  toolUse("Read", { file_path, ...more }, `toolu_${file_path.replace(/\W/g, "_")}`);
const DOCUMENTS = ["report.pdf", "report.docx", "report.odt", "budget.xlsx", "plan.pptx", "report.epub"];

const ARTEFACTS = [
  ["dist/quoll", async () => [(await builtArtefacts()).executable]],
  ["dist/cli.js on Node", async () => [(await builtArtefacts()).node, (await builtArtefacts()).cli]],
] as const;

eachOrDeep("%s reads documents of each kind by its own child", 1, ARTEFACTS, async (_, start) => {
  const files = Object.fromEntries(DOCUMENTS.map((name) => [name, fixture(name)]));
  const calls = reply(DOCUMENTS.map((name) => reading(name)));
  await using place = await quollPlace({ files, scenario: [calls, reply("Done.")] });
  const env = place.environmentOf({});
  const { code, err } = await runCommand([...(await start()), "-p", "go"], { cwd: place.project.dir, env });
  expect([code, err]).toEqual([0, ""]);
  const results = resultsIn(place.sent()[1]);
  const facts = [
    "Pears, all kinds",
    "Counted on 3 October.",
    "Counted on 3 October.",
    "60.0%",
    "Plant in March",
    "Größe",
  ];
  expect(results.map((text, index) => text.includes(facts[index] ?? "?"))).toEqual(facts.map(() => true));
});

deepTest("a prompt attaches the pages of a document that it names", async () => {
  const files = { "words.pdf": textPdf(4, (page) => `Words of page ${page}.`, 1) };
  await using place = await quollPlace({ files, scenario: [reply("Read.")] });
  const { code, err } = await place.run(["-p", "compare @words.pdf#p2-3 and @words.pdf#page=4"]);
  expect(code).toBe(0);
  expect(err).toContain("Attached words.pdf (2 of 4 pages), words.pdf (1 of 4 pages).");
  const sent = place
    .sent()[0]
    ?.messages.at(-1)
    ?.content.map(({ text }) => text)
    .join("\n");
  expect(sent).toContain("--- page 2 of 4 ---\nWords of page 2.\n--- page 3 of 4 ---\nWords of page 3.");
  expect(sent).toContain("--- page 4 of 4 ---");
  expect(sent?.match(/words\.pdf, pages? [\d-]+/g)).toEqual(["words.pdf, pages 2-3", "words.pdf, page 4"]);
  expect(sent).not.toContain("page 1 of 4");
});

deepTest("scanned pages reach a model that takes PDFs as a PDF, also in a resumed session", async () => {
  const files = { "scan.pdf": fixture("scan.pdf") };
  const scenario = [reply([reading("scan.pdf", { pages: "1" })]), reply("Seen."), reply("Again.")];
  await using place = await quollPlace({ files, scenario });
  expect((await place.run(["-p", "go"])).code).toBe(0);
  expect((await place.run(["-p", "--continue", "more"])).code).toBe(0);
  const documents = place
    .sent()
    .map(({ messages }) => JSON.stringify(messages).match(/"type":"document"/g)?.length ?? 0);
  expect(documents).toEqual([0, 1, 1]);
  expect(JSON.stringify(place.sent()[2]?.messages)).toContain('"title":"scan.pdf, page 1"');
});

test("a deny rule for a file covers the document", async () => {
  const files = { "secret/plan.docx": fixture("report.docx") };
  const settings = { permissions: { deny: ["Read(secret/**)"] } };
  await using place = await quollPlace({
    files,
    settings,
    scenario: [reply([reading("secret/plan.docx")]), reply("No.")],
  });
  await place.run(["-p", "go"]);
  expect(resultsIn(place.sent()[1]).join()).not.toContain("Harvest report");
});

deepTest("credentials in a document are hidden", async () => {
  const secret = `ghp_${"a1B2".repeat(9)}`;
  const files = { "notes.pdf": textPdf(1, () => `token ${secret}`, 1) };
  await using place = await quollPlace({ files, scenario: [reply([reading("notes.pdf")]), reply("Done.")] });
  await place.run(["-p", "go"]);
  const [result = ""] = resultsIn(place.sent()[1]);
  expect(result).toContain("--- page 1 of 1 ---");
  expect(result).not.toContain(secret);
});
