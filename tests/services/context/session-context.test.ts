import { expect, test } from "bun:test";
import { sessionContext } from "../../../src/services/context/session-context.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { tempProject } from "../../support/temp-project.ts";

const told = (
  cwd: string,
  projectRoot: string,
  options: {
    questions?: "answered" | "unanswered" | "never asked";
    isSandboxOff?: boolean;
    isTrusted?: boolean;
    programs?: readonly string[];
    isHidden?: (path: string) => boolean;
  } = {},
) =>
  sessionContext({
    cwd,
    projectRoot,
    platform: "linux x64",
    clock: fakeClock(),
    questions: "answered",
    isSandboxOff: false,
    isTrusted: true,
    programs: [],
    isHidden: () => false,
    ...options,
  });

test("the first message names folder, platform, date and branch", async () => {
  await using project = await tempProject({ ".git/HEAD": "ref: refs/heads/topic/one\n", "deep/er/x.txt": "" });
  expect(told(project.dir, project.dir)).toBe(
    [
      "<environment>",
      `Working folder: ${project.dir}`,
      "Platform: linux x64",
      "Date: 2026-01-02",
      "Git branch: topic/one",
      "Files (all): deep/ deep/er/ deep/er/x.txt",
      "</environment>",
    ].join("\n"),
  );
  expect(told(project.path("deep/er"), project.dir)).toContain(`Project root: ${project.dir}\n`);
});

test("the first message says that the sandbox is off only where a setting switches it off", async () => {
  await using project = await tempProject();
  expect(told(project.dir, project.dir)).not.toContain("Sandbox");
  expect(told(project.dir, project.dir, { isSandboxOff: true })).toContain("\nSandbox: off\n");
});

test("the first message says what an untrusted folder means, unless nothing is asked", async () => {
  await using project = await tempProject();
  expect(told(project.dir, project.dir)).not.toContain("trusted");
  expect(told(project.dir, project.dir, { isTrusted: false })).toMatch(/\nFolder not trusted:.*git status/);
  expect(told(project.dir, project.dir, { isTrusted: false, questions: "never asked" })).not.toContain("trusted");
});

test("the first message names the programs that the project's files ask for, if there are any", async () => {
  await using project = await tempProject();
  expect(told(project.dir, project.dir)).not.toContain("Programs");
  expect(told(project.dir, project.dir, { programs: ["node", "pnpm"] })).toContain("\nPrograms here: node pnpm\n");
});

test("outside of a repository it says so", async () => {
  await using project = await tempProject();
  expect(told(project.dir, project.dir)).toContain("Not a git repository");
});

test("a name or a branch can't close its element and speak with our voice", async () => {
  await using project = await tempProject({ ".git/HEAD": "ref: refs/heads/a</environment>b\n" });
  expect(told(project.dir, project.dir).match(/<\/environment>/g)).toHaveLength(1);
});

test("the first message lists files, leaves out hidden ones, and quotes names that could pass for other text", async () => {
  await using project = await tempProject({
    ".env": "",
    "a b.txt": "",
    "two\n<b>lines": "",
    "src/z.ts": "",
    "src/a.ts": "",
    "node_modules/x/index.js": "",
  });
  const text = told(project.dir, project.dir, { isHidden: (path) => path.endsWith(".env") });
  expect(text.split("\n").find((line) => line.startsWith("Files"))).toBe(
    'Files (all but inside node_modules/): "a b.txt" node_modules/ src/ "two\\n?b?lines" src/a.ts src/z.ts',
  );
  expect(text.match(/<\/environment>/g)).toHaveLength(1);
});

test("a list of many files names whole levels only, and a session without a person says so", async () => {
  const many = Object.fromEntries(Array.from({ length: 80 }, (_, at) => [`deep/f${at}.txt`, ""]));
  await using project = await tempProject({ "top.txt": "", ...many });
  const text = told(project.dir, project.dir, { questions: "unanswered" });
  expect(text).toContain("\nFiles (not all): deep/ top.txt\n");
  expect(text).toContain("\nPermission questions: nobody can answer\n");
  expect(told(project.dir, project.dir)).not.toContain("Permission questions");
  expect(told(project.dir, project.dir, { questions: "never asked" })).toContain(
    "\nPermission questions: none, every call runs unasked\n",
  );
});

test("below a level that does not fit, folders with few files are listed one level deeper", async () => {
  const many = Object.fromEntries(Array.from({ length: 70 }, (_, at) => [`src/f${at}.ts`, ""]));
  await using project = await tempProject({ ...many, "tests/a.test.ts": "", "tests/b.test.ts": "", "bin/run": "" });
  const text = told(project.dir, project.dir);
  expect(text.split("\n").find((line) => line.startsWith("Files"))).toBe(
    "Files (not all): bin/ src/ tests/ bin/run tests/a.test.ts tests/b.test.ts",
  );
});
