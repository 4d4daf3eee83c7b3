import { describe, expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { readdirSync, readlinkSync, symlinkSync } from "node:fs";
import { resolve } from "node:path";
import { processesWithTag } from "../../../src/platform/processes/process-table.ts";
import { deepTest } from "../../support/deep.ts";
import { until } from "../../support/eventually.ts";
import { tempProject } from "../../support/temp-project.ts";
import { sandboxPlace } from "./sandbox-fixture.ts";

/** No outside program listens on this port. */
const PORT = freePort();
const SERVE = `exec python3 -m http.server ${PORT} --bind 127.0.0.1 >/dev/null 2>&1`;
const FETCH = `curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:${PORT}/`;
const SESSION = resolve(import.meta.dir, "session-to-kill.ts");

type Mount = Awaited<ReturnType<typeof sandboxPlace>>;

async function served(at: Mount): Promise<string> {
  let answer = "";
  await until(async () => {
    answer = (await at.run(FETCH)).out;
    return answer !== "000";
  });
  return answer;
}

/** The network namespaces that this process keeps by a descriptor: `net:[…]`. */
function heldNetworks(): readonly string[] {
  return readdirSync("/proc/self/fd").flatMap((name) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${name}`);
      return target.startsWith("net:[") ? [target] : [];
    } catch {
      // The descriptor of this very listing is closed by now.
      return [];
    }
  });
}

/** A machine with bubblewrap, but without nsenter. */
async function withoutNsenter(more: Parameters<typeof sandboxPlace>[0] = {}) {
  const folder = await tempProject();
  symlinkSync("/usr/bin/bwrap", folder.path("bwrap"));
  const told: string[] = [];
  const environment = { PATH: folder.dir };
  const deps = { systemPath: folder.dir, environment, onNotice: (line: string) => void told.push(line) };
  const at = await sandboxPlace({ ...more, deps });
  const dispose = async () => {
    await at[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  };
  return { at, told, [Symbol.asyncDispose]: dispose };
}

test("a hint about the network is given only if a connection failed while the command ran", async () => {
  await using at = await sandboxPlace({ files: { "app.log": "curl: (6) Could not resolve host: a.example\n" } });
  const explained = async (script: string) => {
    const started = performance.now();
    const { code, out } = await at.run(script);
    const run = { command: script, exitCode: code };
    return [out, at.sandbox.explainFailure(out, performance.now() - started, run)] as const;
  };
  const refused = `python3 -c 'import socket; socket.create_connection(("127.0.0.1", ${PORT}))'`;
  const unknown = "python3 -c 'import socket; socket.getaddrinfo(\"a.example\", 80)'";
  for (const script of ["cat app.log; false", "printf 'Error: connect ECONN%s 127.0.0.1:1' REFUSED; exit 3"]) {
    const [out, hint] = await explained(script);
    expect([out, hint]).toEqual([expect.stringMatching(/ECONNREFUSED|resolve host/), undefined]);
  }
  expect((await explained(refused))[1]).toContain("No program listens");
  expect((await explained(unknown))[1]).toContain("no network");
  expect((await explained("cat app.log; false"))[1]).toBeUndefined();
});

describe("the commands of a session", () => {
  test("reach a server that an earlier one left running, and still see none of its processes", async () => {
    await using at = await sandboxPlace();
    const server = await at.start(SERVE);
    expect(await served(at)).toBe("200");
    expect((await at.run("ps -e -o args= | grep -c '[h]ttp.server'")).out).toBe("0\n");
    process.kill(server.spawn.pid, "SIGKILL");
    await until(async () => (await at.run(FETCH)).out === "000");
  });

  test("reach nothing that listens outside, and are not reached from there", async () => {
    await using at = await sandboxPlace();
    await at.start(SERVE);
    await served(at);
    expect(at.outside(FETCH).out).toBe("000");
    const outer = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("outer") });
    try {
      expect((await at.run(`curl -s http://127.0.0.1:${outer.port}/`)).code).toBe(7);
    } finally {
      await outer.stop(true);
    }
  });

  deepTest("share one relay to the proxy, which is started anew when it was killed", async () => {
    const tag = randomUUID();
    const environment = { PATH: "/usr/bin:/bin", QUOLL_SPAWN: tag };
    await using at = await sandboxPlace({
      settings: { network: { allowedDomains: ["localhost"] } },
      deps: { environment },
    });
    const relays = () => processesWithTag(tag).filter((row) => / __sandbox-relay \S+in-/.test(row.command()));
    const ask = async () => (await at.run("NO_PROXY= no_proxy= curl -s http://refused.example/")).out;
    expect(await ask()).toContain("sandbox refused refused.example");
    const first = relays().map(({ pid }) => pid);
    expect(first).not.toEqual([]);
    expect(await ask()).toContain("sandbox refused refused.example");
    expect(relays().map(({ pid }) => pid)).toEqual(first);
    for (const pid of first) process.kill(pid, "SIGKILL");
    await until(() => relays().length === 0);
    await until(async () => (await ask()).includes("sandbox refused refused.example"));
    await at.sandbox.close();
    expect(processesWithTag(tag)).toEqual([]);
  });

  deepTest("share a network that is made with the first one, and it ends with the session", async () => {
    await using at = await sandboxPlace();
    const before = heldNetworks();
    const { out } = await at.run("readlink /proc/self/ns/net");
    const [made, ...others] = heldNetworks().filter((network) => !before.includes(network));
    expect(others).toEqual([]);
    expect([out, (await at.run("readlink /proc/self/ns/net")).out]).toEqual([`${made}\n`, `${made}\n`]);
    await at.sandbox.close();
    expect(heldNetworks()).toEqual(before);
  });

  test("end together with their network when the session is killed", async () => {
    const tag = randomUUID();
    await using folder = await tempProject();
    const session = Bun.spawn([process.execPath, SESSION, folder.dir], {
      env: { ...process.env, QUOLL_SPAWN: tag },
      stdout: "pipe",
    });
    const reader = session.stdout.getReader();
    const { value } = await reader.read();
    const network = new TextDecoder().decode(value).trim();
    expect(network).toMatch(/^net:\[\d+\]$/);
    expect(processesWithTag(tag).length).toBeGreaterThan(2);
    session.kill("SIGKILL");
    await session.exited;
    await until(() => processesWithTag(tag).length === 0);
  });
});

describe("where no command can join another's network", () => {
  test("each has its own, and the person is told so once, with the reason", async () => {
    await using place = await withoutNsenter();
    const { at, told } = place;
    await at.start(SERVE);
    expect((await at.run(`sleep 0.3; ${FETCH}`)).out).toBe("000");
    expect((await at.run("true")).code).toBe(0);
    expect(told).toEqual([expect.stringContaining("nsenter")]);
    expect(await at.sandbox.findings()).toContainEqual({ level: "note", text: told[0] ?? "" });
  });

  test("the proxy is reached all the same", async () => {
    await using place = await withoutNsenter({ settings: { network: { allowedDomains: ["localhost"] } } });
    const { out } = await place.at.run("curl -s http://refused.example/");
    expect(out).toContain("sandbox refused refused.example");
  });
});

function freePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  listener.stop(true);
  return listener.port;
}
