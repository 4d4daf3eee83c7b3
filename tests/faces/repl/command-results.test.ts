import { expect, test } from "bun:test";
import { builtDemo } from "../../support/built.ts";
import { deepTest } from "../../support/deep.ts";
import { tempProject } from "../../support/temp-project.ts";
import { EMPTY_PROMPT, terminalProcess } from "../../support/terminal-process.ts";

const DEMO = [await builtDemo()];
const IDLE = "? for keys";

async function demo() {
  const terminal = terminalProcess(DEMO);
  await terminal.shows(IDLE);
  return terminal;
}

test("a list is chosen from, and the choice is typed in the person's place", async () => {
  await using terminal = await demo();
  terminal.type("/every choose\r");
  await terminal.shows("Which colour?");
  await terminal.shows("Two are left.");
  terminal.type("blue\r");
  await terminal.shows("It said took blue.");
});

deepTest("a list that opens while the person types waits for a pause and keeps the draft", async () => {
  await using terminal = await demo();
  terminal.type("/every choose\rrun the");
  await terminal.shows("❯ red");
  expect(terminal.output).toContain("You are typing");
  terminal.type("\u001b");
  await terminal.shows("› run the");
});

test("a list takes late choices, and Esc goes back through form and lists to the place that was left", async () => {
  await using terminal = await demo();
  terminal.type("/every list\r");
  await terminal.shows(/zero\s+❯ one\s+two/);
  terminal.type("tw");
  await terminal.shows(/› tw\s+❯ two/);
  terminal.type("\r");
  await terminal.shows(/Inner\s+❯ deep/);
  terminal.type("\r");
  await terminal.shows(/Depth\s+› 4\s+\S 5 is too deep/);
  terminal.type("\u001b");
  await terminal.shows(/Inner\s+❯ deep/);
  terminal.type("\u001b");
  await terminal.shows(/Outer\s+› tw\s+❯ two/);
  terminal.type("\u001b");
  await terminal.shows(/Outer\s+❯ zero/);
  terminal.type("\u001b");
  await terminal.shows(EMPTY_PROMPT);
  terminal.type("/every list\r");
  await terminal.shows(/Outer\s+zero\s+❯ one/);
});

deepTest("the fields of a form are filled in one after another, and a secret is never shown", async () => {
  await using terminal = await demo();
  terminal.type("/every form\r");
  await terminal.shows("New server: Host");
  terminal.type("example.com");
  await terminal.shows("› example.com");
  terminal.type("\r");
  await terminal.shows("New server: Token (not shown)");
  terminal.type("hunter2");
  await terminal.shows("› •••••••");
  terminal.type("\r");
  await terminal.shows("example.com has a token of 7 characters.");
  expect(terminal.output).not.toContain("hunter2");
});

test("a field shows the command's suggestions while it is typed, and takes the marked one", async () => {
  await using terminal = await demo();
  terminal.type("/every form\r");
  await terminal.shows(/New server: Host\s+›\s+example\.com\s+example\.org/);
  terminal.type("example.o");
  await terminal.shows(/› example\.o\s+example\.org\s+enter next field · ↑↓ choose/);
  terminal.type("\t");
  await terminal.shows(/› example\.org\s+enter next field · ctrl\+u clears/);
  terminal.type("\rhunter2");
  await terminal.shows(/› •{7}\s+enter saves · ctrl\+u clears/);
  terminal.type("\r");
  await terminal.shows("example.org has a token of 7 characters.");
});

deepTest("a form that is left does nothing", async () => {
  await using terminal = await demo();
  terminal.type("/every form\r");
  await terminal.shows("New server: Host");
  terminal.type("\u001b");
  await terminal.shows(IDLE);
  expect(terminal.all).not.toContain("characters");
});

test("words for the model begin a turn", async () => {
  await using terminal = await demo();
  terminal.type("/every prompt\r");
  await terminal.shows("You said 25 characters");
});

test("parts of a list are marked with letters, and the marks are typed in the person's place", async () => {
  await using terminal = await demo();
  terminal.type("/every mark\r");
  await terminal.shows(/All paints\s+Two are left\.\s+Paints\s+❯ {3}red paint/);
  terminal.type("d\u001b[Bp");
  await terminal.shows("❯ p blue paint");
  terminal.type("\r");
  await terminal.shows("It said took drop red pin blue.");
});

test("a view is shown with its title", async () => {
  await using terminal = await demo();
  terminal.type("/every view\r");
  await terminal.shows(/All pages\s+page 1\s+page 2/);
});

test("an operation tells how far it has come, and Esc interrupts it", async () => {
  await using terminal = await demo();
  terminal.type("/every operation\r");
  await terminal.shows(/Counting · 3 of 12 files · .* esc to interrupt/);
  terminal.type("\u001b");
  await terminal.shows("/every was interrupted.");
  await terminal.shows(IDLE);
});

test("beside a turn, an operation has a line of its own, and Esc interrupts it before the turn", async () => {
  await using terminal = await demo();
  terminal.type("hang\r");
  await terminal.shows("esc to interrupt");
  terminal.type("/every operation\r");
  await terminal.shows(/Counting · 3 of 12 files · .* esc to interrupt\n/);
  expect(terminal.screen.match(/esc/g)).toHaveLength(1);
  terminal.type("\u001b");
  await terminal.shows("/every was interrupted.");
  await terminal.shows(/^. waiting for the model · .* esc to interrupt/m);
  expect(terminal.all).not.toContain("· Interrupted.");
  terminal.type("\u001b");
  await terminal.shows("· Interrupted.");
});

deepTest("a text that is open while a turn runs has the only hint about Esc", async () => {
  await using terminal = await demo();
  terminal.type("hang\r");
  await terminal.shows("esc to interrupt");
  terminal.type("/every view\r");
  await terminal.shows("esc closes");
  expect(terminal.screen.match(/esc/g)).toHaveLength(1);
  terminal.type("\u001b");
  await terminal.shows("esc to interrupt");
});

deepTest("the result of an operation is shown when it is done", async () => {
  await using terminal = await demo();
  terminal.type("/every quick\r");
  await terminal.shows(/Counted\s+12 files/);
  await terminal.shows(IDLE);
});

test("a file is edited in the person's editor, and the command continues when the editor is closed", async () => {
  await using files = await tempProject({ "a.txt": "", "editor.sh": 'echo " and edited" >> "$1"\n' });
  const env = { VISUAL: "", EDITOR: `sh ${files.path("editor.sh")}` };
  await using terminal = terminalProcess(DEMO, { env });
  await terminal.shows(IDLE);
  terminal.type(`/every edit ${files.path("a.txt")}\r`);
  await terminal.shows("and edited.");
  await terminal.shows(IDLE);
});

deepTest("a failed editor is reported, and the screen continues", async () => {
  await using files = await tempProject({ "a.txt": "" });
  await using terminal = terminalProcess(DEMO, { env: { VISUAL: "", EDITOR: "false" } });
  await terminal.shows(IDLE);
  terminal.type(`/every edit ${files.path("a.txt")}\r`);
  await terminal.shows("exit code 1");
  terminal.type("/every view\r");
  await terminal.shows("page 1");
});

test("a terminal that can move no cursor gets numbered lists and fields, and lines where what is typed must be hidden", async () => {
  await using terminal = terminalProcess(DEMO, { env: { TERM: "dumb", DEMO_TRUST: "" }, rows: 60 });
  await terminal.shows(/^You:$/m);
  terminal.type("/every choose\n");
  await terminal.shows(
    /^Result: Two are left\.\nQuestion: Which colour\?, 2 choices\.\n1: red\n2: blue\n[\s\S]*\nChoose:$/m,
  );
  terminal.type("2\n");
  await terminal.shows("Result: It said took blue.");
  terminal.type("/every list\n");
  // The first choice comes later than the others, and may be told after them.
  await terminal.shows(/^[13]: zero\n[\s\S]*Also: "keep 1"\.[\s\S]*\nChoose:$/m);
  terminal.type("two\n");
  await terminal.shows(/^Question: Inner[\s\S]*\n1: deep\n[\s\S]*\nChoose:$/m);
  terminal.type("1\n");
  await terminal.shows(/^Error: 5 is too deep\nQuestion: Depth\. Enter alone keeps 4\. .*\nText:$/m);
  terminal.type("3\n");
  await terminal.shows("It is 3.");
  terminal.type("/every mark\n");
  await terminal.shows(
    /^Question: All paints\nTwo are left\.\nPaints\n1: red paint\n2: blue paint\n[\s\S]*\nChoose:$/m,
  );
  terminal.type("pin 1\n");
  await terminal.shows("Marked.");
  terminal.type("\n");
  await terminal.shows("It said took pin red.");
  terminal.type("/every form\n");
  await terminal.shows("`/every <host> <token>`");
  terminal.type("/every edit x\n");
  await terminal.shows("Edit the file yourself.");
  terminal.type("/every quick\n");
  await terminal.shows("12 files");
});
