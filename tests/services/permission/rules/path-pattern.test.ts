import { expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { realPathOrSelf } from "../../../../src/platform/paths.ts";
import {
  exactPathSpec,
  type PathContext,
  parsePathPattern,
} from "../../../../src/services/permission/rules/path-pattern.ts";
import { tempProject } from "../../../support/temp-project.ts";
import { HOME, ROOT } from "../support.ts";

const context: PathContext = {
  base: ROOT,
  roots: [`${ROOT}/packages/web`, "/srv/shared"],
  home: HOME,
  realPath: (path) => path.replace(/^\/link/, "/real"),
};
const allows = (spec: string, path: string) => parsePathPattern(spec, context, false).matches(path);
const tightens = (spec: string, path: string) => parsePathPattern(spec, context, true).matches(path);
const WEB = `${ROOT}/packages/web`;

test.each([
  ["//etc/**", "/etc/hosts", true],
  ["//etc/**", "/etc", true],
  ["//etc/**", "/etcetera", false],
  ["//etc/hosts", "/etc/hosts", true],
  ["//etc/hosts", `${ROOT}/etc/hosts`, false],
  ["//", "/any/thing", true],
  ["//**", "/any/thing", true],
  ["~/notes/**", `${HOME}/notes/a/b.md`, true],
  ["~/notes/**", "/home/bob/notes/a.md", false],
  ["~", `${HOME}/x`, true],
  ["~/.zshrc", `${HOME}/.zshrc`, true],
  ["/src/**", `${ROOT}/src/a.ts`, true],
  ["/src/**", `${WEB}/src/a.ts`, false],
  ["/src/*.ts", `${ROOT}/src/deep/a.ts`, false],
  ["/src", `${ROOT}/src/deep/a.ts`, true],
  ["*.ts", `${WEB}/deep/a.ts`, true],
  ["*.ts", `${ROOT}/a.ts`, false],
  ["./a.ts", `${WEB}/a.ts`, true],
  ["./a.ts", `${WEB}/deep/a.ts`, false],
  ["../api/**", `${ROOT}/packages/api/x`, true],
  ["../../x", `${ROOT}/x`, true],
  [".", `${WEB}/any`, true],
  ["./**", `${WEB}/any/deep`, true],
  ["**", `${ROOT}/other`, false],
  ["src/**/test", `${WEB}/src/a/b/test`, true],
  ["/docs/[ab].md", `${ROOT}/docs/a.md`, true],
  ["/docs/[ab].md", `${ROOT}/docs/c.md`, false],
  ["#note", `${WEB}/#note`, true],
])("Read(%s) covers %s: %p", (spec, path, expected) => {
  expect(allows(spec, path)).toBe(expected);
  if (expected) expect(tightens(spec, path)).toBe(true);
});

test("deny and ask rules ignore case, allow rules do not", () => {
  expect([tightens("/Secrets/**", `${ROOT}/secrets/A`), allows("/Secrets/**", `${ROOT}/secrets/A`)]).toEqual([
    true,
    false,
  ]);
});

test("deny and ask rules apply in every root, allow rules only in the first", () => {
  expect([tightens("*.pem", "/srv/shared/x.pem"), allows("*.pem", "/srv/shared/x.pem")]).toEqual([true, false]);
});

test("a rule for a folder's content means the folder for those that search it", () => {
  expect([tightens("secrets/", `${WEB}/secrets`), tightens("/a/**", `${ROOT}/a`)]).toEqual([true, true]);
});

test("deny and ask rules follow their own links, allow rules do not", () => {
  const paths = ["/real/a", "/link/a"];
  expect(paths.map((path) => tightens("//link/**", path))).toEqual([true, true]);
  expect(paths.map((path) => allows("//link/**", path))).toEqual([false, true]);
  expect(tightens("//link", "/real/a")).toBe(true);
});

test("a pattern names a file when its last part does, or when it names a folder of secrets", () => {
  const names = (spec: string, path: string) => parsePathPattern(spec, context, false).names(path);
  expect(names("/.env", `${ROOT}/.env`)).toBe(true);
  expect(names(".env.*", `${WEB}/a/.env.local`)).toBe(true);
  expect(names("/**", `${ROOT}/.env`)).toBe(false);
  expect(names("/config/*", `${ROOT}/config/.env`)).toBe(false);
  expect(names("/config", `${ROOT}/config/.env`)).toBe(false);
  expect(names("~/.ssh/**", `${HOME}/.ssh/config`)).toBe(true);
});

test("an exact spec matches its path alone, whatever characters it has", () => {
  const awkward = [
    "a b.ts",
    "[id].tsx",
    "what?*.md",
    "#x",
    "!x",
    "(group)/page.tsx",
    "back\\slash",
    "ü/日本.txt",
    " lead",
  ];
  for (const name of awkward) {
    for (const folder of [ROOT, "/other/place"]) {
      const path = `${folder}/${name}`;
      const spec = exactPathSpec(path, ROOT);
      expect([spec, allows(spec, path)]).toEqual([spec, true]);
      expect([spec, allows(spec, `${folder}/zz${name}`)]).toEqual([spec, false]);
    }
  }
  expect(allows(exactPathSpec(`${ROOT}/[id].tsx`, ROOT), `${ROOT}/i.tsx`)).toBe(false);
});

test("matching thousands of paths does not keep them all in memory", () => {
  const pattern = parsePathPattern("*.pem", context, true);
  for (let i = 0; i < 12_000; i += 1) pattern.matches(`${WEB}/f${i}`);
  expect(pattern.matches(`${WEB}/x.pem`)).toBe(true);
});

test.each([
  ["/app/[id]/**", "app/[id]/page.tsx"],
  ["/app/[id]/**", "app/i/page.tsx"],
  ["app/[...slug]/*", "app/[...slug]/page.tsx"],
  ["**/[post-id]/x", "app/a/[post-id]/x"],
  ["[id].tsx", "deep/[id].tsx"],
  ["/[id]*", "[id].test.tsx"],
  ["/[[locale]]/[ab]/**", "[[locale]]/a/x"],
  ["/src/{a,b}/**", "src/{a,b}/x"],
  ["/src/{a,b}/**", "src/b/x"],
  ["/src/{(auth),[id]}/**", "src/[id]/x"],
  ["/src/{(auth),[id]}/**", "src/(auth)/x"],
])("the deny rule %s covers %s, whatever exists", (spec, name) => {
  const pattern = parsePathPattern(spec, { ...context, base: "/none", roots: ["/none"] }, true);
  expect(pattern.matches(`/none/${name}`)).toBe(true);
  expect(pattern.folders.every((folder) => `/none/${name}`.startsWith(folder))).toBe(true);
  expect(pattern.mayEnd(name.split("/").at(-1) ?? "") || !spec.endsWith("x")).toBe(true);
});

test("an allow rule takes brackets for a name where such a file exists, else for a class, never for both", async () => {
  await using project = await tempProject({
    "app/[id]/a": "",
    "app/i/a": "",
    "lib/i/a": "",
    "x/[id].ts": "",
    "x/i.ts": "",
  });
  const there: PathContext = { ...context, base: project.dir, roots: [project.dir] };
  const allowed = (spec: string, names: readonly string[]) => {
    const pattern = parsePathPattern(spec, there, false);
    return names.filter((name) => pattern.matches(project.path(name)));
  };
  const names = ["app/[id]/a", "app/i/a", "lib/[id]/a", "lib/i/a"];
  expect(allowed("/app/[id]/**", names)).toEqual(["app/[id]/a"]);
  expect(allowed("/lib/[id]/**", names)).toEqual(["lib/i/a"]);
  expect(allowed("**/[id]/**", names)).toEqual(["app/[id]/a", "lib/i/a"]);
  expect(allowed("[id].ts", ["x/[id].ts", "x/i.ts", "y/[id].ts"])).toEqual(["x/[id].ts"]);
  expect(allowed("/app/{[id],i}/**", names)).toEqual([]);
});

test("a deny rule follows a link whose name has brackets", async () => {
  await using project = await tempProject({ "data/a": "" });
  symlinkSync("data", project.path("[id]"));
  const realPath = (path: string) => realPathOrSelf(path);
  const pattern = parsePathPattern("/[id]/**", { ...context, base: project.dir, realPath }, true);
  expect(pattern.matches(project.path("data/a"))).toBe(true);
});
