import { version } from "../package.json" with { type: "json" };

// Node has `getBuiltinModule` since 20.16 and 22.3.
const isOldNode = Number.parseInt(process.versions.node, 10) < 22 || !("getBuiltinModule" in process);
if (process.versions.bun === undefined && isOldNode) {
  process.stderr.write(`quoll: Node ${process.versions.node} is too old: use Node 22.3 or newer, or the executable.\n`);
  process.exit(2);
}

const [first, ...rest] = process.argv.slice(2);
// The sandbox starts this program again inside itself: nothing else is loaded then.
if (first === "__sandbox-bridge") {
  const { runBridge } = await import("./services/sandbox/io/inner-relay.ts");
  process.exit(await runBridge(rest));
}
if (first === "__sandbox-relay") {
  const { runInnerRelay } = await import("./services/sandbox/io/inner-relay.ts");
  process.exit(await runInnerRelay(rest));
}
if (first === "__landlock") {
  const { runLandlocked } = await import("./services/sandbox/io/landlock/run-landlocked.ts");
  process.exit(await runLandlocked(rest));
}
// A web page or a document is converted in a process of its own, with limits.
if (first === "__convert-page") {
  const { runConverter } = await import("./cli/convert/run-converter.ts");
  process.exit(await runConverter());
}
// `quoll --bg` starts this program again, without a terminal.
if (first === "__background") {
  const { runHost } = await import("./cli/background/run-host.ts");
  await runHost(rest[0] ?? "", version);
}
if (rest.length === 0 && (first === "--version" || first === "-v")) {
  // The fastest path: nothing else is loaded.
  process.stdout.on("error", (error) => {
    if ("code" in error && error.code === "EPIPE") return;
    process.exitCode = 1;
    void import("./platform/standard-output.ts").then(({ outputFailure }) =>
      process.stderr.write(`quoll: ${outputFailure(error)}\n`),
    );
  });
  process.stdout.write(`${version}\n`);
} else {
  const { run } = await import("./cli/run.ts");
  await run(process.argv.slice(2), version);
}
