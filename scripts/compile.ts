import type { BunPlugin } from "bun";

/** Production React, and no devtools in Ink. */
export const DEFINE = { "process.env.NODE_ENV": '"production"', "process.env.DEV": '"false"' };

/** Ink imports React's devtools statically; they are of no use here and 2 MB large. */
export const withoutDevtools: BunPlugin = {
  name: "without-devtools",
  setup(build) {
    build.onResolve({ filter: /^react-devtools-core$/ }, () => ({ path: "devtools", namespace: "empty" }));
    build.onLoad({ filter: /.*/, namespace: "empty" }, () => ({
      contents: "export default { initialize() {}, connectToDevTools() {} };",
      loader: "js",
    }));
  },
};

/**
 * Makes a standalone executable for this platform that takes no `.env`, `bunfig.toml`, tsconfig or package.json of the
 * folder that it is started in.
 * @throws {AggregateError} the bundle can't be built.
 */
export async function compile(entry: string, outfile: string, plugins: readonly BunPlugin[] = []): Promise<void> {
  await Bun.build({
    entrypoints: [entry],
    target: "bun",
    format: "esm",
    splitting: true,
    minify: { whitespace: true, syntax: true },
    bytecode: true,
    define: DEFINE,
    plugins: [withoutDevtools, ...plugins],
    compile: {
      outfile,
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
    },
  });
}
