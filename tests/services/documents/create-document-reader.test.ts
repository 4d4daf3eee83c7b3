import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import type { DocumentReader } from "../../../src/contracts/documents.ts";
import { findProgram } from "../../../src/platform/processes/find-program.ts";
import { changedArchive, withSaidSize } from "../../support/changed-archive.ts";
import { deepTest } from "../../support/deep.ts";
import { eventually } from "../../support/eventually.ts";
import { tempProject } from "../../support/temp-project.ts";
import { documentReader } from "../../support/test-documents.ts";
import { textPdf } from "../../support/text-pdf.ts";

setDefaultTimeout(60_000);

const fixture = (name: string) => readFileSync(join(import.meta.dir, "../../support/documents", name));
const never = new AbortController().signal;

/** The running children of this process that convert documents. */
function children(): readonly string[] {
  const pids = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8").split(" ");
  const commandOf = (pid: string) =>
    existsSync(`/proc/${pid}/cmdline`) ? readFileSync(`/proc/${pid}/cmdline`, "utf8") : "";
  return pids.filter((pid) => pid !== "" && commandOf(pid).includes("__convert-page"));
}

async function failureOf(reader: DocumentReader, name: string, bytes: Uint8Array): Promise<string> {
  const read = reader.read({ name, bytes, maxParts: 20 }, never);
  const line = await read.then(
    () => "it was read",
    (error: Error) => error.message,
  );
  await eventually("the child is gone", () => children().length === 0);
  return line;
}

/** A PDF of one page whose content is short, but unpacks to many megabytes. */
function bombPdf(megabytes: number): Buffer {
  const packed = deflateSync(Buffer.alloc(megabytes * 1024 * 1024, " ")).toString("latin1");
  const pdf = textPdf(1, () => "", 0, packed).toString("latin1");
  return Buffer.from(pdf.replace("<< /Length", "<< /Filter /FlateDecode /Length"), "latin1");
}

const wordOf = (text: string) => `<w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;

test("a document is read in a child, and none is left", async () => {
  const { kind, parts } = await documentReader().read(
    { name: "a.docx", bytes: fixture("report.docx"), maxParts: 20 },
    never,
  );
  expect(kind).toBe("Word document");
  expect(parts[0]?.text).toContain("Harvest report");
  expect(children()).toEqual([]);
});

describe("a document over the limits is one line and leaves nothing running", () => {
  deepTest("a PDF that unpacks to 400 MB", async () => {
    expect(await failureOf(documentReader(), "bomb.pdf", bombPdf(400))).toBe(
      "bomb.pdf needs more than 300 MB of memory, the most that a document gets, to be read.",
    );
  });

  deepTest("a Word document that says it unpacks to 200 MB", async () => {
    const bomb = withSaidSize(fixture("report.docx"), "word/document.xml", 200 * 1024 * 1024);
    expect(await failureOf(documentReader(), "bomb.docx", bomb)).toBe(
      "bomb.docx unpacks to more than 150 MB, which is the most that is read.",
    );
  });

  deepTest("a Word document of one line of 50 MB", async () => {
    const line = changedArchive(fixture("report.docx"), {
      "word/document.xml": (xml) => xml.replace("<w:body>", wordOf("word ".repeat(10 * 1024 * 1024))),
    });
    expect(await failureOf(documentReader(), "line.docx", line)).toMatch(/^line\.docx needs more than [^\n]*\.$/);
  });

  test("any document, if the limits are small", async () => {
    expect(await failureOf(documentReader({ convertMs: 1 }), "a.docx", fixture("report.docx"))).toContain("0.001 s");
    const small = documentReader({ convertBytes: 1024 * 1024 });
    expect(await failureOf(small, "a.docx", fixture("report.docx"))).toContain("1 MB of memory");
  });
});

deepTest("an archive that lies about its sizes is not unpacked further than it says", async () => {
  const large = changedArchive(fixture("report.odt"), { "content.xml": (xml) => xml + " ".repeat(8 * 1024 * 1024) });
  const bomb = withSaidSize(large, "content.xml", 20_000);
  const { parts } = await documentReader().read({ name: "a.odt", bytes: bomb, maxParts: 20 }, never);
  expect(parts[0]?.text).toContain("Harvest report");
});

test("the child ends with the call that is interrupted", async () => {
  const interrupt = new AbortController();
  const bytes = textPdf(2_000, () => "words", 50);
  const read = documentReader().read({ name: "a.pdf", bytes, maxParts: 2_000 }, interrupt.signal);
  const answer = read.catch((error: Error) => error.message);
  await eventually("the child runs", () => children().length > 0);
  interrupt.abort(new Error("stopped"));
  expect(await answer).toBe("stopped");
  await eventually("the child is gone", () => children().length === 0);
});

async function program(place: Awaited<ReturnType<typeof tempProject>>, name: string, text: string): Promise<void> {
  chmodSync(await place.write(name, text), 0o755);
}

describe("pictures of pages", () => {
  const installed = ["pdftoppm", "mutool"].filter((name) => findProgram(name, process.env["PATH"] ?? "") !== undefined);
  const request = { name: "scan.pdf", bytes: fixture("scan.pdf") };

  test.each(installed)("are drawn by %s", async (name) => {
    await using place = await tempProject({});
    const found = findProgram(name, process.env["PATH"] ?? "") ?? "";
    await program(place, name, `#!/bin/sh\nexec ${found} "$@"\n`);
    const drawn = await documentReader({ environment: { PATH: place.dir } }).drawPages(request, [2], never);
    expect(drawn?.map(({ page }) => page)).toEqual([2]);
    const head = drawn?.[0]?.bytes.toString("latin1", 0, 4) ?? "";
    expect(head).toBe(drawn?.[0]?.mediaType === "image/png" ? "\x89PNG" : "\xff\xd8\xff\xe0");
  });

  test("need a program that lies outside the project", async () => {
    await using place = await tempProject({});
    await program(place, "pdftoppm", '#!/bin/sh\ntouch "$(dirname "$0")/ran"\n');
    const reader = documentReader({
      environment: { PATH: place.dir },
      isTrusted: (file) => !file.startsWith(place.dir),
    });
    expect(await reader.drawPages(request, [1], never)).toBeUndefined();
    expect(readdirSync(place.dir)).not.toContain("ran");
    expect(await documentReader().drawPages(request, [1], never)).toBeUndefined();
  });

  test("that can't be drawn are one line", async () => {
    await using place = await tempProject({});
    await program(place, "pdftoppm", "#!/bin/sh\necho 'Syntax Error: bad' >&2; exit 1\n");
    const drawing = documentReader({ environment: { PATH: place.dir } }).drawPages(request, [1], never);
    expect(await drawing.catch((error: Error) => error.message)).toBe(
      "Page 1 of scan.pdf could not be drawn: Syntax Error: bad.",
    );
  });
});
