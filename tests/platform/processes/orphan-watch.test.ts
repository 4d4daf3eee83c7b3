import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { systemClock } from "../../../src/platform/clock.ts";
import { OrphanWatch, takeEndedCommands } from "../../../src/platform/processes/orphan-watch.ts";
import { isAlive, processesWithTag } from "../../../src/platform/processes/process-table.ts";
import { spawnPiped } from "../../../src/platform/processes/spawn-piped.ts";
import { stopSpawn } from "../../../src/platform/processes/stop-ladder.ts";
import { until } from "../../support/eventually.ts";
import { tempProject } from "../../support/temp-project.ts";

const PATH = "/usr/bin:/bin";
const SOURCES = join(import.meta.dir, "../../../src/platform/processes");

const shell = (script: string, tag: string) =>
  spawnPiped({ file: "sh", args: ["-c", script], cwd: "/", env: { PATH, QUOLL_SPAWN: tag }, tag });

describe("a program that is talked with", () => {
  test("has three pipes, a group of its own, and tells its end", async () => {
    const tag = crypto.randomUUID();
    const program = await shell("read line; echo got $line; echo oops >&2; exit 3", tag);
    program.stdin.write("hello\n");
    const read = async (stream: typeof program.stdout) => {
      let text = "";
      for await (const chunk of stream) text += chunk;
      return text;
    };
    const [out, err, exit] = await Promise.all([read(program.stdout), read(program.stderr), program.exited]);
    expect({ out, err, exit }).toEqual({ out: "got hello\n", err: "oops\n", exit: { exitCode: 3, signal: undefined } });
  });

  test("that can't be started is said with its name and folder", async () => {
    const tag = crypto.randomUUID();
    const env = { PATH, QUOLL_SPAWN: tag };
    const start = (file: string, cwd: string) => spawnPiped({ file, args: [], cwd, env, tag });
    await expect(start("no-such-program-here", "/")).rejects.toThrow(
      "no-such-program-here could not be started in / (ENOENT)",
    );
    await expect(start("cat", "/no/such/folder")).rejects.toThrow(
      "cat could not be started in /no/such/folder (ENOENT)",
    );
    await expect(start("/etc/passwd", "/")).rejects.toThrow("/etc/passwd could not be started in / (EACCES)");
    await expect(spawnPiped({ file: "cat", args: [], cwd: "/", env: { PATH }, tag })).rejects.toThrow(
      "must carry its tag",
    );
  });
});

describe("the watch over orphans", () => {
  test("ends what is left when its owner is killed, groups and those that left them", async () => {
    await using project = await tempProject();
    const tag = crypto.randomUUID();
    const script = await project.write(
      "owner.ts",
      `import { OrphanWatch } from ${JSON.stringify(join(SOURCES, "orphan-watch.ts"))};
       import { spawnPiped } from ${JSON.stringify(join(SOURCES, "spawn-piped.ts"))};
       const env = { PATH: ${JSON.stringify(PATH)}, QUOLL_SPAWN: ${JSON.stringify(tag)} };
       const args = ["-c", "trap '' TERM HUP INT; setsid sleep 600 & sleep 600 & wait; wait; sleep 600"];
       const watch = new OrphanWatch({});
       await watch.expect(${JSON.stringify(tag)});
       watch.started(await spawnPiped({ file: "sh", args, cwd: "/", env, tag: ${JSON.stringify(tag)} }));
       console.log("up");
       setInterval(() => undefined, 60_000);`,
    );
    const owner = Bun.spawn([process.execPath, script], { stdout: "pipe", stderr: "inherit" });
    try {
      await owner.stdout.getReader().read();
      await until(() => processesWithTag(tag).length === 3);
      owner.kill("SIGKILL");
      await until(() => processesWithTag(tag).length === 0);
    } finally {
      owner.kill("SIGKILL");
      await owner.exited;
      for (const { pid } of processesWithTag(tag)) process.kill(pid, "SIGKILL");
    }
  });

  test("watches what runs already, and its record names what it ended once", async () => {
    await using project = await tempProject();
    const record = project.path("ended");
    const watch = new OrphanWatch({}, record);
    const [ran, done, unnamed] = await Promise.all(
      ["trap '' TERM; sleep 600", "true", "sleep 600"].map((script) => shell(script, crypto.randomUUID())),
    );
    if (!ran || !done || !unnamed) throw new Error("Three programs were to be started.");
    try {
      watch.watch(ran, () => "npm run dev *\n'$(x)'\u001b[31m");
      watch.watch(done, () => "true");
      watch.watch(unnamed);
      await until(() => !isAlive(done));
      watch.close();
      await until(() => !isAlive(ran) && !isAlive(unnamed));
      expect(takeEndedCommands(record)).toEqual(["npm run dev * '$(x)' [31m"]);
      expect(takeEndedCommands(record)).toEqual([]);
    } finally {
      for (const program of [ran, unnamed]) await stopSpawn(program, systemClock, { interruptMs: 0, terminateMs: 50 });
    }
  });

  test("leaves alone what was described twice and then dropped", async () => {
    const outer = crypto.randomUUID();
    const watch = new OrphanWatch({ QUOLL_SPAWN: outer });
    const program = await shell("sleep 600", crypto.randomUUID());
    try {
      watch.watch(program);
      await until(() => processesWithTag(outer).length > 0);
      watch.watch(program);
      watch.drop(program.tag);
      watch.close();
      await until(() => processesWithTag(outer).length === 0);
      expect(isAlive(program)).toBe(true);
    } finally {
      await stopSpawn(program, systemClock, { interruptMs: 0, terminateMs: 50 });
    }
  });

  test("leaves alone what was dropped, and its own end is quiet", async () => {
    const watch = new OrphanWatch({});
    const tags = [crypto.randomUUID(), crypto.randomUUID()];
    const [kept, watched] = await Promise.all(tags.map((tag) => shell("sleep 600", tag)));
    if (!kept || !watched) throw new Error("Two programs were to be started.");
    try {
      for (const program of [kept, watched]) {
        await watch.expect(program.tag);
        watch.started(program);
      }
      watch.drop(kept.tag);
      watch.close();
      watch.close();
      await until(() => !isAlive(watched));
      expect(isAlive(kept)).toBe(true);
    } finally {
      for (const program of [kept, watched]) await stopSpawn(program, systemClock, { interruptMs: 0, terminateMs: 50 });
    }
  });

  test.if(process.platform === "linux")("ends what was started, though nobody came to tell its number", async () => {
    const watch = new OrphanWatch({});
    const tag = crypto.randomUUID();
    await watch.expect(tag);
    const program = await shell("trap '' TERM; sleep 600", tag);
    try {
      watch.close();
      await until(() => processesWithTag(tag).length === 0);
    } finally {
      await stopSpawn(program, systemClock, { interruptMs: 0, terminateMs: 50 });
    }
  });
});
