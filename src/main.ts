import manifest from "../package.json" with { type: "json" };

const [first, ...rest] = process.argv.slice(2);
if (rest.length === 0 && (first === "--version" || first === "-v")) {
  process.stdout.write(`${manifest.version}\n`);
} else {
  const { run } = await import("./cli/run.ts");
  await run(process.argv.slice(2), manifest.version);
}
