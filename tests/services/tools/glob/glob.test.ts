import { describe, expect, test } from "bun:test";
import { symlinkSync, utimesSync } from "node:fs";
import { globTool } from "../../../../src/services/tools/glob/glob.ts";
import { tempProject } from "../../../support/temp-project.ts";
import { toolContext } from "../../../support/tool-context.ts";
import { failure, fileTools, noRipgrep, ripgrep, runCall } from "../call-tool.ts";

/** Sets times so that the first name is the newest. */
function newestFirst(path: (name: string) => string, names: readonly string[]) {
  for (const [index, name] of names.entries()) utimesSync(path(name), 1_000_000 - index, 1_000_000 - index);
}

/** Names of folders and files in web frameworks, each with a pattern and the files that it means. */
const ROUTES: readonly (readonly [string, readonly string[]])[] = [
  ["app/(auth)/**", ["app/(auth)/login/page.tsx"]],
  ["**/(auth)/**/*.tsx", ["app/(auth)/login/page.tsx"]],
  ["app/{(auth),[...slug]}/**", ["app/(auth)/login/page.tsx", "app/[...slug]/page.tsx"]],
  ["app/[...slug]/*", ["app/[...slug]/page.tsx"]],
  ["**/[...slug]/**", ["app/[...slug]/page.tsx"]],
  ["app/[[...opt]]/*.tsx", ["app/[[...opt]]/page.tsx"]],
  ["**/[[...opt]]/*.tsx", ["app/[[...opt]]/page.tsx"]],
  ["feed/(.)photo/*", ["feed/(.)photo/page.tsx"]],
  ["**/(..)(..)photo/*", ["feed/(..)(..)photo/page.tsx"]],
  ["src/{x}/*.ts", ["src/{x}/a.ts"]],
  ["**/{x}/**", ["src/{x}/a.ts"]],
  ["**/@slot/*", ["app/@slot/default.tsx"]],
  ["routes/$id.*", ["routes/$id.tsx"]],
  ["**/+page.{ts,svelte}", ["kit/[id]/+page.ts", "kit/[id]/+page.svelte", "kit/i/+page.ts"]],
  ["kit/[id]/+page.{ts,svelte}", ["kit/[id]/+page.ts", "kit/[id]/+page.svelte"]],
  ["(group)/[[locale]]/**", ["(group)/[[locale]]/about/page.tsx"]],
  ["**/[[locale]]/**/page.tsx", ["(group)/[[locale]]/about/page.tsx"]],
  ["my docs/**/[post-id] v2/*", ["my docs/a/[post-id] v2/x.md"]],
  ["shop/**/[post-id]/*", ["shop/b/[post-id]/x.md"]],
];
/** Files that the patterns would find if they were read as a pattern alone. */
const DECOYS = [
  "app/auth/page.tsx",
  "app/s/page.tsx",
  "app/o]/page.tsx",
  "feed/.photo/page.tsx",
  "src/x/a.ts",
  "kit/i/+page.ts",
];

describe.each([
  ["with ripgrep", ripgrep],
  ["without", noRipgrep],
])("%s", (_, rg) => {
  test("files come newest first, hidden ones too, ignored ones and .git not", async () => {
    const names = ["src/b.ts", "a.ts", ".hidden/c.ts", "src/deep/d.ts"];
    await using project = await tempProject({
      ...Object.fromEntries(names.map((name) => [name, ""])),
      "dist/e.ts": "",
      "src/gen.ts": "",
      ".git/f.ts": "",
      "sub/.git": "gitdir: x",
      ".gitignore": "dist/\n",
      "src/.gitignore": "gen.*\n",
    });
    newestFirst(project.path, names);
    expect(await fileTools(project.dir, { rg }).glob("**/*.ts")).toBe(names.join("\n"));
  });

  test("path, braces, an absolute pattern, ../ and ~/ name the folder searched", async () => {
    await using project = await tempProject({ "src/a.ts": "", "src/b.js": "", "lib/c.ts": "" });
    newestFirst(project.path, ["src/a.ts", "src/b.js", "lib/c.ts"]);
    const tools = fileTools(project.path("lib"), { rg, home: project.dir });
    expect(await tools.glob("*.ts")).toBe("c.ts");
    expect(await tools.glob({ pattern: "*.{ts,js}", path: "../src" })).toBe(
      `${project.path("src/a.ts")}\n${project.path("src/b.js")}`,
    );
    for (const pattern of ["../src/*.ts", `${project.dir}/src/*.ts`, "~/src/*.ts"]) {
      const call = await tools.prepare.glob({ pattern });
      expect(call.subjects).toEqual([{ action: "read", path: project.path("src") }]);
      expect((await runCall(call)).content).toBe(project.path("src/a.ts"));
    }
  });

  test("a pattern without a slash that finds nothing here looks below, and says so", async () => {
    await using project = await tempProject({ "src/deep/a.ts": "", "b.js": "" });
    const tools = fileTools(project.dir, { rg });
    expect(await tools.glob("*.ts")).toBe(
      "src/deep/a.ts\n[none directly in the working folder: these are in folders below, as for **/*.ts]",
    );
    expect(await tools.glob("a.ts")).toStartWith("src/deep/a.ts\n");
    expect(await tools.glob("*.js")).toBe("b.js");
  });

  test("a name with brackets, and a folder, mean just that", async () => {
    await using project = await tempProject({ "app/[id]/page.tsx": "", "app/i/page.tsx": "" });
    const tools = fileTools(project.dir, { rg });
    expect(await tools.glob("app/[id]/page.tsx")).toBe("app/[id]/page.tsx");
    expect(await tools.glob("app/[id]")).toBe("app/[id]/page.tsx");
    expect(await tools.glob("app/i/*.tsx")).toBe("app/i/page.tsx");
  });

  test.each(ROUTES)("a part that exists as it is written is literal: %s", async (pattern, expected) => {
    await using project = await tempProject(
      Object.fromEntries([...ROUTES.flatMap(([, found]) => found), ...DECOYS].map((name) => [name, ""] as const)),
    );
    const found = await fileTools(project.dir, { rg }).glob(pattern);
    expect(found.split("\n").sort()).toEqual([...expected].sort());
  });

  test("a pattern whose brackets are in a name with a star finds the names, and says so", async () => {
    await using project = await tempProject({ "pages/[slug].tsx": "", "pages/[slug].css": "" });
    const found = await fileTools(project.dir, { rg }).glob("pages/[slug].*");
    expect(found.split("\n").sort()).toEqual([
      "[the brackets are part of these names]",
      "pages/[slug].css",
      "pages/[slug].tsx",
    ]);
  });

  test("both forms of accented letters find a file", async () => {
    await using project = await tempProject({ ["Cafe\u0301/(men\u00fc)/a.ts"]: "" });
    const tools = fileTools(project.dir, { rg });
    for (const pattern of ["Caf\u00e9/**", "**/(menu\u0308)/*.ts"])
      expect((await tools.glob(pattern)).normalize("NFC")).toBe("Caf\u00e9/(men\u00fc)/a.ts");
  });

  test("a backslash makes a bracket literal, and parentheses need none", async () => {
    await using project = await tempProject({ "app/[id]/a.ts": "", "app/i/a.ts": "", "app/(x)/a.ts": "" });
    const tools = fileTools(project.dir, { rg });
    expect(await tools.glob("app/\\[id\\]/*.ts")).toBe("app/[id]/a.ts");
    expect(await tools.glob("app/\\(x\\)/*.ts")).toBe("app/(x)/a.ts");
    // A path as on Windows.
    expect(await tools.glob("app\\(x)\\*.ts")).toBe("app/(x)/a.ts");
  });

  test("an ignored folder that is named is listed", async () => {
    await using project = await tempProject({
      "node_modules/x/a.js": "",
      "node_modules/x/b.log": "",
      ".gitignore": "node_modules\n*.log\n",
    });
    expect(await fileTools(project.dir, { rg }).glob("node_modules/x/*")).toBe("node_modules/x/a.js");
  });

  test("links are not followed", async () => {
    await using project = await tempProject({ "real/a.ts": "" });
    symlinkSync("real", project.path("loop"));
    symlinkSync("../..", project.path("real/up"));
    expect(await fileTools(project.dir, { rg }).glob("**/*.ts")).toBe("real/a.ts");
  });

  test("files that may not be read never show", async () => {
    await using project = await tempProject({ ".env": "", "a.env": "", "b.txt": "" });
    const tools = fileTools(project.dir, { rg, isHidden: (path) => path.endsWith("env") });
    expect(await tools.glob("*")).toBe("b.txt");
    expect(await tools.glob(".env")).toStartWith(
      "No file in the working folder matches .env (3 files looked at; files that git ignores or that may not be read",
    );
  });

  test("a hundred of many are shown", async () => {
    await using project = await tempProject(
      Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`f${index}.txt`, ""])),
    );
    const lines = (await fileTools(project.dir, { rg }).glob("*.txt")).split("\n");
    expect(lines).toHaveLength(101);
    expect(lines.at(-1)).toBe("[the newest 100 of 120; a narrower pattern shows the others]");
  });

  test("a search without matches says how many files it checked", async () => {
    await using project = await tempProject({ "src/a.ts": "", "src/b.ts": "" });
    const tools = fileTools(project.dir, { rg });
    expect(await tools.glob("src/**/*.go")).toStartWith("No file in src matches **/*.go (2 files looked at;");
  });

  test("at its time limit it gives the files found so far and says that the list is incomplete", async () => {
    await using project = await tempProject({ "a.ts": "" });
    const tool = globTool({ home: "/", isHidden: () => false, ripgrep: rg, timeoutMs: 0 });
    const call = await tool.prepare({ pattern: "*.nothing" }, toolContext({ cwd: project.dir }));
    const { content } = await runCall(call);
    expect(content).toContain("[not complete: the listing was ended at its limit; look in a smaller folder]");
  });

  test("an abort ends the search", async () => {
    await using project = await tempProject({ "a.ts": "" });
    const abort = new AbortController();
    const call = await fileTools(project.dir, { rg }).prepare.glob({ pattern: "*" }, abort.signal);
    abort.abort(new Error("Esc"));
    expect(await failure(runCall(call))).toBe("Esc");
  });
});

test("a missing folder and a file as folder get one line", async () => {
  await using project = await tempProject({ "a.ts": "" });
  const tools = fileTools(project.dir);
  expect(await failure(tools.glob("none/**/*.ts"))).toBe("The folder none does not exist.");
  expect(await failure(tools.glob({ pattern: "*.ts", path: "a.ts" }))).toBe(
    "a.ts is not a folder: give the folder to look in as path.",
  );
  expect(await failure(tools.glob("!*.ts"))).toContain("can't begin with");
  expect(await failure(tools.glob("x".repeat(5_000)))).toContain("too long");
});
