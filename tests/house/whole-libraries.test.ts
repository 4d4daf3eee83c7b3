import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type BunPlugin, Glob, type PluginBuilder } from "bun";
import manifest from "../../package.json" with { type: "json" };
import lock from "../../package-lock.json" with { type: "json" };
import { PLUGINS, withRipgrep } from "../../scripts/compile.ts";
import { ROOT, textOf } from "./house-rules.ts";

/** An optional dependency that is not installed: leaving it out changes no library. */
const LEFT_OUT = "react-devtools-core";

type Claim = { readonly filter: RegExp; readonly namespace?: string };

/** What a plugin wants to load and to resolve. */
function claimsOf({ setup }: BunPlugin): { readonly loads: readonly Claim[]; readonly resolves: readonly Claim[] } {
  const [loads, resolves]: [Claim[], Claim[]] = [[], []];
  const build = { onLoad: (claim: Claim) => loads.push(claim), onResolve: (claim: Claim) => resolves.push(claim) };
  setup(build as unknown as PluginBuilder);
  return { loads, resolves };
}

const FILES = [...new Glob("node_modules/**/*.*").scanSync({ cwd: ROOT, absolute: true })];
const PACKAGES = Object.keys(lock.packages).flatMap((path) => /node_modules\/([^.].*)$/.exec(path)?.[1] ?? []);

/** The files of libraries whose text a plugin gives, and the libraries that it replaces, with one example for each filter. */
function changedBy(plugin: BunPlugin): readonly string[] {
  const { loads, resolves } = claimsOf(plugin);
  const isFile = ({ namespace = "file" }: Claim) => namespace === "file";
  const files = loads.filter(isFile).flatMap(({ filter }) => FILES.find((file) => filter.test(file)) ?? []);
  const names = resolves.flatMap(({ filter }) => [LEFT_OUT, ...PACKAGES].find((name) => filter.test(name)) ?? []);
  return [...files.map((file) => file.slice(ROOT.length + 1)), ...names];
}

test("no plugin of the build changes a library, apart from an optional one that is not installed", () => {
  expect(FILES.length).toBeGreaterThan(5_000);
  expect([...PLUGINS, withRipgrep].flatMap(changedBy)).toEqual([LEFT_OUT]);
  expect(PACKAGES.filter((name) => name.endsWith(LEFT_OUT))).toEqual([]);
});

test.each<readonly [what: string, changed: string, setup: BunPlugin["setup"]]>([
  [
    "gives a library another text",
    "node_modules/string-width/index.js",
    (build) => void build.onLoad({ filter: /string-width[\\/]index\.js$/ }, () => ({ contents: "", loader: "js" })),
  ],
  [
    "replaces a library",
    "string-width",
    (build) => void build.onResolve({ filter: /^string-width$/ }, () => ({ path: "width", namespace: "own" })),
  ],
])("a plugin that %s is found", (_, changed, setup) => {
  expect(changedBy({ name: "wrong", setup })).toEqual([changed]);
});

test("no other file makes a plugin, and nothing changes libraries when they are installed", () => {
  const files = ["build.ts", ...new Glob("scripts/**/*.ts").scanSync({ cwd: ROOT })];
  expect(files.filter((file) => /\bon(?:Load|Resolve)\(/.test(textOf(file)))).toEqual(["scripts/compile.ts"]);
  expect(Object.keys(manifest.scripts).filter((name) => /install|prepare|patch/.test(name))).toEqual([]);
  expect("patchedDependencies" in manifest || existsSync(join(ROOT, "patches"))).toBe(false);
});
