/** A session with a network, a relay and a command that runs on; prints its network and waits to be killed. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { spawnToFile } from "../../../src/platform/processes/spawn-to-file.ts";
import { CommandSandbox } from "../../../src/services/sandbox/command-sandbox.ts";
import { PATH, SELF } from "./sandbox-fixture.ts";

const folder = process.argv[2] ?? "";
const tag = process.env["QUOLL_SPAWN"] ?? "";
for (const name of ["work", "state"]) mkdirSync(join(folder, name));
const sandbox = new CommandSandbox(() => ({
  roots: [join(folder, "work")],
  projectRoot: join(folder, "work"),
  home: folder,
  ownFolders: [join(folder, "state")],
  stateFolder: join(folder, "state"),
  cacheFolder: join(folder, "cache", "this"),
  artifacts: join(folder, "state"),
  gitFolders: [],
  settings: { network: { allowedDomains: ["localhost"] } },
  environment: { PATH, QUOLL_SPAWN: tag },
  selfCommand: SELF,
}));
const script = "readlink /proc/self/ns/net; exec sleep 300";
const start = { file: "/bin/sh", args: ["-c", script], cwd: join(folder, "work"), env: { PATH, QUOLL_SPAWN: tag } };
const confined = await sandbox.confine(start, new AbortController().signal);
const outputPath = join(folder, "out");
spawnToFile({ ...confined, tag, outputPath });
for (let text = ""; text === ""; await Bun.sleep(5)) {
  text = await Bun.file(outputPath).text();
  process.stdout.write(text);
}
setInterval(() => undefined, 1_000);
