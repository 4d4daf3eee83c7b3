import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { createTrustStore } from "../../../src/services/trust/trust-store.ts";
import { tempProject } from "../../support/temp-project.ts";

const MODULE = new URL("../../../src/services/trust/trust-store.ts", import.meta.url).pathname;
const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const now = () => NOW;
const AT = "2026-01-02T03:04:05.000Z";

type Project = Awaited<ReturnType<typeof tempProject>>;
const open = (project: Project, home = project.path("home")) =>
  createTrustStore(project.path("state/trusted.json"), { home, now });

/** The folders that the file names. */
const written = (file: string): readonly string[] => Object.keys(JSON.parse(readFileSync(file, "utf8")).folders);

test("nothing is trusted before a person says so, and no file is made by asking", async () => {
  await using project = await tempProject({ "repo/a": "" });
  const store = await open(project);
  expect([store.isTrusted(project.path("repo")), store.warnings]).toEqual([false, []]);
  expect(readdirSync(project.dir)).toEqual(["repo"]);
});

test("a trusted folder is written down with its date, for this user alone, and known to the next start", async () => {
  await using project = await tempProject({ "repo/a": "" });
  expect(await (await open(project)).trust(project.path("repo"))).toBeUndefined();
  const store = await open(project);
  expect(store.isTrusted(project.path("repo"))).toBe(true);
  const file = project.path("state/trusted.json");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    version: 1,
    folders: { [project.path("repo")]: { trustedAt: AT } },
  });
  expect([statSync(file).mode & 0o777, statSync(project.path("state")).mode & 0o777]).toEqual([0o600, 0o700]);
  expect(readdirSync(project.path("state"))).toEqual(["trusted.json"]);
});

test("folders inside a trusted one, above it, or with a similar name are not trusted", async () => {
  await using project = await tempProject({ "repo/inner/a": "", "repo2/a": "" });
  await (await open(project)).trust(project.path("repo"));
  const store = await open(project);
  const asked = ["repo/inner", ".", "repo2", "rep", "repo/.."].map((name) => store.isTrusted(project.path(name)));
  expect(asked).toEqual([false, false, false, false, false]);
});

test("a folder is known by its real path, whatever link leads to it", async () => {
  await using project = await tempProject({ "repo/a": "", "other/a": "" });
  symlinkSync(project.path("repo"), project.path("link"));
  await (await open(project)).trust(project.path("link"));
  const store = await open(project);
  expect(written(project.path("state/trusted.json"))).toEqual([project.path("repo")]);
  expect([store.isTrusted(project.path("repo")), store.isTrusted(project.path("link"))]).toEqual([true, true]);
});

test("a link that comes to lead elsewhere takes no trust along", async () => {
  await using project = await tempProject({ "repo/a": "", "evil/a": "" });
  const store = await open(project);
  await store.trust(project.path("repo"));
  rmSync(project.path("repo"), { recursive: true });
  symlinkSync(project.path("evil"), project.path("repo"));
  expect([store.isTrusted(project.path("repo")), (await open(project)).isTrusted(project.path("repo"))]).toEqual([
    false,
    false,
  ]);
});

describe("a folder that holds more than a project is trusted for the session only", () => {
  test.each([["home"], ["."]])("%s", async (name) => {
    await using project = await tempProject({ "home/x": "" });
    const store = await open(project);
    expect(await store.trust(project.path(name))).toEndWith(
      "contains other projects: it is trusted for this session only.",
    );
    expect(store.isTrusted(project.path(name))).toBe(true);
    expect((await open(project)).isTrusted(project.path(name))).toBe(false);
  });

  test("nor is one believed that somebody wrote into the file", async () => {
    await using project = await tempProject({ "home/x": "" });
    const folders = Object.fromEntries(
      ["/", project.path("home"), project.dir].map((root) => [root, { trustedAt: AT }]),
    );
    await project.write("state/trusted.json", JSON.stringify({ version: 1, folders }));
    chmodSync(project.path("state/trusted.json"), 0o600);
    const store = await open(project);
    expect(["/", project.path("home"), project.dir].map((root) => store.isTrusted(root))).toEqual([
      false,
      false,
      false,
    ]);
  });

  test("the folder that holds the list itself can't vouch for itself", async () => {
    await using project = await tempProject({ "repo/a": "" });
    const file = project.path("repo/.config/trusted.json");
    mkdirSync(project.path("repo/.config"));
    await project.write(
      "repo/.config/trusted.json",
      JSON.stringify({ version: 1, folders: { [project.path("repo")]: { trustedAt: AT } } }),
    );
    chmodSync(file, 0o600);
    expect((await createTrustStore(file)).isTrusted(project.path("repo"))).toBe(false);
  });
});

describe("a file that can't be believed trusts nothing, and is left as it is", () => {
  const good = (root: string) => ({ [root]: { trustedAt: AT } });
  test.each([
    ["half a file", (root: string) => JSON.stringify({ version: 1, folders: good(root) }).slice(0, -3)],
    ["an empty file", () => ""],
    ["zero bytes", () => "\0\0\0\0"],
    ["a list", () => "[]"],
    ["a later version", (root: string) => JSON.stringify({ version: 2, folders: good(root) })],
    ["no date", (root: string) => JSON.stringify({ version: 1, folders: { [root]: {} } })],
    ["a date that is none", (root: string) => JSON.stringify({ version: 1, folders: { [root]: { trustedAt: "x" } } })],
    [
      "a path that isn't absolute",
      (root: string) => JSON.stringify({ version: 1, folders: { ...good(root), repo: { trustedAt: AT } } }),
    ],
    ["true for a folder", (root: string) => JSON.stringify({ version: 1, folders: { [root]: true } })],
  ])("%s", async (_, textFor) => {
    await using project = await tempProject({ "repo/a": "" });
    const text = textFor(project.path("repo"));
    const file = await project.write("state/trusted.json", text);
    chmodSync(file, 0o600);
    const store = await open(project);
    expect(store.isTrusted(project.path("repo"))).toBe(false);
    expect(store.warnings).toEqual([
      `${file} is not a list of trusted folders that this version can read: no folder is trusted. Fix or delete the file.`,
    ]);
    expect(await store.trust(project.path("repo"))).toEndWith("is trusted for this session only.");
    expect([store.isTrusted(project.path("repo")), readFileSync(file, "utf8")]).toEqual([true, text]);
  });

  test("one that others may write", async () => {
    await using project = await tempProject({ "repo/a": "" });
    await (await open(project)).trust(project.path("repo"));
    for (const mode of [0o620, 0o602, 0o666]) {
      chmodSync(project.path("state/trusted.json"), mode);
      const store = await open(project);
      expect(store.isTrusted(project.path("repo"))).toBe(false);
      expect(store.warnings).toEqual([
        `${project.path("state/trusted.json")} can be written by other users: no folder is trusted. Fix or delete the file.`,
      ]);
    }
  });

  test("a folder or something far too large in its place", async () => {
    await using folder = await tempProject({ "state/trusted.json/x": "" });
    await using large = await tempProject({ "state/trusted.json": " ".repeat(4 * 1024 * 1024 + 1) });
    for (const project of [folder, large]) {
      const store = await open(project);
      expect(store.isTrusted(project.path("repo"))).toBe(false);
      expect(store.warnings[0]).toContain("could not be read");
    }
  });
});

test("where nothing can be written the folder is trusted for this session, with one line", async () => {
  await using project = await tempProject({ state: "a file in the way", "repo/a": "" });
  const store = await open(project);
  const line = await store.trust(project.path("repo"));
  expect(line).toContain(`${project.path("state/trusted.json")} could not be locked (`);
  expect(line).toEndWith(`: ${project.path("repo")} is trusted for this session only.`);
  expect(line).not.toContain("\n");
  expect(store.isTrusted(project.path("repo"))).toBe(true);
});

test("a home that may only be read is the same", async () => {
  if (process.getuid?.() === 0) return;
  await using project = await tempProject({ "state/x": "", "repo/a": "" });
  chmodSync(project.path("state"), 0o500);
  try {
    expect(await (await open(project)).trust(project.path("repo"))).toEndWith("is trusted for this session only.");
  } finally {
    chmodSync(project.path("state"), 0o700);
  }
});

test("the oldest of more than two thousand folders are forgotten", async () => {
  await using project = await tempProject({ "repo/a": "" });
  const folders = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, i) => [`/p/${i}`, { trustedAt: new Date(NOW - 1_000 * (i + 1)).toISOString() }]),
  );
  chmodSync(await project.write("state/trusted.json", JSON.stringify({ version: 1, folders })), 0o600);
  const store = await open(project);
  await store.trust(project.path("repo"));
  expect(written(project.path("state/trusted.json")).length).toBe(2_000);
  expect(["/p/0", "/p/1998", "/p/1999", project.path("repo")].map((root) => store.isTrusted(root))).toEqual([
    true,
    true,
    false,
    true,
  ]);
});

test("two programs that trust folders at once lose none", async () => {
  await using project = await tempProject();
  const file = project.path("state/trusted.json");
  const writers = ["a", "b", "c"].map((name) => {
    const script = `import { createTrustStore } from ${JSON.stringify(MODULE)};
      const store = await createTrustStore(${JSON.stringify(file)});
      for (let i = 0; i < 6; i += 1) {
        const line = await store.trust("/p/${name}" + i);
        if (line !== undefined) throw new Error(line);
      }`;
    return Bun.spawn([process.execPath, "-e", script], { stderr: "inherit" });
  });
  expect(await Promise.all(writers.map((writer) => writer.exited))).toEqual([0, 0, 0]);
  const expected = ["a", "b", "c"].flatMap((name) => Array.from({ length: 6 }, (_, i) => `/p/${name}${i}`));
  expect(written(file).toSorted()).toEqual(expected);
});
