import manifest from "../package.json" with { type: "json" };

if (process.versions.bun === undefined && Number.parseInt(process.versions.node, 10) < 22) {
  process.stderr.write(`quoll: Node ${process.versions.node} is too old: use Node 22 or newer, or the executable.\n`);
  process.exit(2);
}

const [first, ...rest] = process.argv.slice(2);
if (rest.length === 0 && (first === "--version" || first === "-v")) {
  process.stdout.write(`${manifest.version}\n`);
} else {
  const { run } = await import("./cli/run.ts");
  await run(process.argv.slice(2), manifest.version);
}
