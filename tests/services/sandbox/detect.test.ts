import { describe, expect, test } from "bun:test";
import { CommandSandbox } from "../../../src/services/sandbox/command-sandbox.ts";
import { detectMechanism } from "../../../src/services/sandbox/detect.ts";
import { renderFindings, renderStatus, sandboxFindings } from "../../../src/services/sandbox/doctor.ts";
import { explainFailure } from "../../../src/services/sandbox/explain-failure.ts";
import { bubblewrapCause, installCommand } from "../../../src/services/sandbox/find-cause.ts";
import type { ProbeResult } from "../../../src/services/sandbox/io/helper-program.ts";
import { readSystemFacts, type SystemFacts } from "../../../src/services/sandbox/io/system-facts.ts";
import { tempProject } from "../../support/temp-project.ts";
import { SELF, sandboxPlace } from "./sandbox-fixture.ts";

const FACTS: SystemFacts = {
  os: "linux",
  architecture: "x64",
  isRoot: false,
  hasNativeCalls: true,
  maxUserNamespaces: 15_000,
  unprivilegedClone: undefined,
  appArmorRestricts: undefined,
  hasBwrapProfile: false,
  container: undefined,
  isFiltered: false,
  capabilities: 0n,
  distribution: ["ubuntu", "debian"],
};
const OK: ProbeResult = { exitCode: 0, complaint: "" };
const EPERM = "bwrap: No permissions to create a new namespace, likely because the kernel does not allow it";

/** A machine whose bwrap, or Landlock, answers as given; what was asked is kept. */
async function machine(facts: Partial<SystemFacts>, answer: (command: readonly string[]) => ProbeResult) {
  await using folder = await tempProject({ "bin/bwrap": "#!/bin/sh\n" });
  await Bun.$`chmod +x ${folder.path("bin/bwrap")}`.quiet();
  const asked: (readonly string[])[] = [];
  const probe = async (command: readonly [string, ...string[]]) => {
    asked.push(command);
    return answer(command);
  };
  const all = { ...FACTS, ...facts };
  const detection = await detectMechanism({
    facts: all,
    path: "",
    systemPath: folder.path("bin"),
    roots: ["/w"],
    selfCommand: ["/q"],
    probe,
  });
  return { facts: all, detection, asked };
}

describe("sandbox detection", () => {
  test("bubblewrap that works is tried once and taken", async () => {
    const { detection, asked } = await machine({}, () => OK);
    expect(detection).toEqual({
      mechanism: {
        kind: "bubblewrap",
        file: expect.stringMatching(/bin\/bwrap$/),
        variant: { hasUserNamespace: true, forbidsNesting: true, hasOwnProc: true, isRoot: false },
      },
      causes: [],
    });
    expect(asked).toHaveLength(1);
  });

  test.each([
    ["an old bubblewrap", { forbidsNesting: false }, (words: readonly string[]) => !words.includes("--disable-userns")],
    ["no new /proc", { hasOwnProc: false }, (words: readonly string[]) => !words.includes("--proc")],
  ])("%s is used as far as it goes", async (_, variant, works) => {
    const { detection } = await machine({}, (words) => (works(words) ? OK : { exitCode: 1, complaint: "bwrap: no" }));
    expect(detection.mechanism).toMatchObject({ kind: "bubblewrap", variant });
  });

  test("root does without a user namespace, others don't", async () => {
    const answer = (words: readonly string[]) =>
      words.includes("--unshare-user") ? { exitCode: 1, complaint: EPERM } : OK;
    const asRoot = await machine({ isRoot: true }, answer);
    expect(asRoot.detection.mechanism).toMatchObject({ kind: "bubblewrap", variant: { hasUserNamespace: false } });
    const asUser = await machine({}, (words) =>
      words.includes("__landlock") ? OK : { exitCode: 1, complaint: EPERM },
    );
    expect(asUser.detection.mechanism).toEqual({ kind: "landlock" });
    expect(
      asUser.asked.filter(([file]) => file?.endsWith("bwrap")).every((words) => words.includes("--unshare-user")),
    ).toBe(true);
  });

  test("a bwrap that lies in the workspace is not looked at", async () => {
    await using project = await tempProject({ "bin/bwrap": "#!/bin/sh\n" });
    await Bun.$`chmod +x ${project.path("bin/bwrap")}`.quiet();
    const asked: string[] = [];
    const detection = await detectMechanism({
      facts: FACTS,
      path: project.path("bin"),
      systemPath: project.path("bin"),
      roots: [project.dir],
      selfCommand: ["/q"],
      probe: async ([file]) => {
        asked.push(file);
        return OK;
      },
    });
    expect(asked).toEqual(["/q"]);
    expect(detection.causes).toEqual([
      { what: "bubblewrap (bwrap) is not installed", fix: "sudo apt install bubblewrap" },
    ]);
  });

  test("on Node without bubblewrap there is nothing, with both reasons", async () => {
    const detection = await detectMechanism({
      facts: { ...FACTS, hasNativeCalls: false },
      path: "",
      systemPath: "",
      roots: [],
      selfCommand: ["/q"],
      probe: async () => OK,
    });
    expect(detection).toEqual({
      mechanism: undefined,
      causes: [
        { what: "bubblewrap (bwrap) is not installed", fix: "sudo apt install bubblewrap" },
        { what: "Landlock can't be used under Node", fix: "use the standalone executable, or run Quoll with Bun" },
      ],
    });
  });

  test("macOS is asked for sandbox-exec, another system gets a plain no", async () => {
    const mac = await machine({ os: "darwin" }, () => OK);
    expect(mac.detection).toEqual({ mechanism: { kind: "sandbox-exec", file: "/usr/bin/sandbox-exec" }, causes: [] });
    const nested = await machine({ os: "darwin" }, () => ({
      exitCode: 71,
      complaint: "sandbox_apply: Operation not permitted",
    }));
    expect(nested.detection.causes[0]?.what).toBe(
      "sandbox-exec does not work here (sandbox_apply: Operation not permitted)",
    );
    const windows = await machine({ os: "win32" }, () => OK);
    expect(windows.detection.causes).toEqual([
      { what: "there is no sandbox for win32", fix: "use Linux, macOS, or WSL 2 on Windows" },
    ]);
  });
});

describe("the cause of a failure", () => {
  const cases: readonly (readonly [string, Partial<SystemFacts>, string, RegExp, RegExp])[] = [
    [
      "no user namespaces at all",
      { maxUserNamespaces: 0 },
      EPERM,
      /max_user_namespaces is 0/,
      /sysctl -w user\.max_user_namespaces/,
    ],
    [
      "Debian's switch",
      { unprivilegedClone: false },
      EPERM,
      /unprivileged_userns_clone is 0/,
      /unprivileged_userns_clone=1/,
    ],
    [
      "AppArmor of Ubuntu 24.04",
      { appArmorRestricts: true },
      "bwrap: setting up uid map: Permission denied",
      /AppArmor/,
      /profile.*sandbox\.md/,
    ],
    [
      "a container that masks /proc",
      { container: "Docker" },
      "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
      /Docker\) hides parts of \/proc/,
      /systempaths=unconfined/,
    ],
    [
      "a container without network rights",
      { container: "Docker" },
      "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted",
      /separate network/,
      /seccomp=unconfined/,
    ],
    [
      "a container's filter",
      { container: "Podman", isFiltered: true },
      EPERM,
      /Podman\) blocks new namespaces/,
      /seccomp=unconfined/,
    ],
    ["root without capabilities", { isRoot: true }, EPERM, /root has no CAP_SYS_ADMIN/, /CAP_SYS_ADMIN/],
    [
      "too many namespaces",
      {},
      "bwrap: Creating new namespace failed: No space left on device",
      /limit on user namespaces/,
      /sysctl/,
    ],
    ["anything else", {}, "bwrap: strange\nmore", /does not work here \(strange\)/, /bwrap --ro-bind/],
    ["nothing said", {}, "", /printed nothing/, /bwrap/],
  ];
  test.each(cases)("%s is named with its fix", (_, facts, complaint, what, fix) => {
    const cause = bubblewrapCause({ ...FACTS, ...facts }, complaint);
    expect(cause.what).toMatch(what);
    expect(cause.fix).toMatch(fix);
    expect(`${cause.what}${cause.fix}`).not.toContain("\n");
  });

  test("AppArmor is not blamed where bwrap has a profile, nor for root", () => {
    for (const more of [{ hasBwrapProfile: true }, { isRoot: true, capabilities: 1n << 21n }])
      expect(bubblewrapCause({ ...FACTS, appArmorRestricts: true, ...more }, "bwrap: x").what).not.toContain(
        "AppArmor",
      );
  });

  test.each([
    [["fedora"], false, "sudo dnf install bubblewrap"],
    [["alpine"], true, "apk add bubblewrap"],
    [["arch"], false, "sudo pacman -S bubblewrap"],
    [["opensuse-leap", "suse"], false, "sudo zypper install bubblewrap"],
    [["unheard-of"], false, "install the package bubblewrap"],
  ])("%j installs it its own way", (distribution, isRoot, command) => {
    expect(installCommand({ distribution, isRoot })).toBe(command);
  });
});

describe("the status for people", () => {
  test("a machine that works", async () => {
    await using at = await sandboxPlace();
    expect(renderStatus(await at.sandbox.state())).toBe("on: bubblewrap; no network");
    expect((await at.sandbox.findings())[0]).toEqual({ level: "ok", text: "Commands run in a sandbox (bubblewrap)." });
  });

  test("a machine with the weaker mode says what is weaker and how to fix it", async () => {
    await using at = await sandboxPlace({
      kind: "landlock",
      settings: { network: { allowedDomains: ["x.com"], allowUnixSockets: ["/s"] } },
    });
    const state = await at.sandbox.state();
    expect(state).toMatchObject({ strength: "weak", whyWeak: "bubblewrap (bwrap) is not installed" });
    expect(renderStatus(state)).toBe("on: landlock, weak: new top-level names and .git are not writable; no network");
    const text = renderFindings(await at.sandbox.findings());
    expect(text).toStartWith(
      "✓ Commands run in a weak sandbox (landlock).\n· Bubblewrap (bwrap) is not installed.\n  to fix it: ",
    );
    expect(text).toContain("allowedDomains has no effect");
    expect(text).toContain("allowUnixSockets has no effect");
  });

  test("a machine without any: one line for the status, all causes for the doctor", async () => {
    const facts = { ...FACTS, hasNativeCalls: false };
    await using at = await sandboxPlace({ kind: "landlock", deps: { facts } });
    const state = await at.sandbox.state();
    expect(state).toEqual({
      kind: undefined,
      reason: "bubblewrap (bwrap) is not installed; to fix it: sudo apt install bubblewrap",
    });
    expect(renderStatus(state)).not.toContain("\n");
    expect((await at.sandbox.findings()).map(({ level }) => level)).toEqual(["problem", "problem", "problem"]);
    expect(at.confineBash("true")).rejects.toThrow(
      "This can't run in the sandbox: bubblewrap (bwrap) is not installed",
    );
  });

  test("switched off it is off, without a reason, and confines nothing", async () => {
    await using at = await sandboxPlace({ settings: { enabled: false } });
    expect(await at.sandbox.state()).toEqual({ kind: undefined, reason: undefined });
    expect(renderStatus(await at.sandbox.state())).toBe("off (sandbox.enabled is false)");
    expect(at.confineBash("true")).rejects.toThrow("switched off");
  });

  test("a workspace that is the whole file system is not confined, and says so", async () => {
    await using at = await sandboxPlace({ deps: { roots: ["/"] } });
    expect(await at.sandbox.state()).toMatchObject({
      kind: undefined,
      reason: expect.stringContaining("start Quoll in a project folder"),
    });
    expect((await at.sandbox.findings())[0]?.level).toBe("problem");
  });

  test("variants of bubblewrap that are weaker are named", () => {
    const variant = { hasUserNamespace: true, forbidsNesting: false, hasOwnProc: false, isRoot: false };
    const detection = { mechanism: { kind: "bubblewrap", file: "/b", variant } as const, causes: [] };
    const state = { kind: "bubblewrap", strength: "full", hasNetwork: false } as const;
    const texts = sandboxFindings(detection, FACTS, { network: { allowLocalBinding: false } }, state).map(
      ({ text }) => text,
    );
    expect(texts).toHaveLength(4);
    expect(texts.join(" ")).toMatch(/user namespaces.*command lines.*allowLocalBinding/);
  });
});

test("the facts of this machine can be read", () => {
  const facts = readSystemFacts();
  expect(facts).toMatchObject({ os: process.platform, architecture: process.arch, hasNativeCalls: true });
});

test("a home that can't be written to is an error in one line, and nothing runs", async () => {
  await using folder = await tempProject({ state: "a file where our folder would be" });
  const sandbox = new CommandSandbox(() => ({
    roots: [folder.dir],
    projectRoot: folder.dir,
    home: folder.dir,
    ownFolders: [],
    stateFolder: folder.path("state"),
    cacheFolder: folder.path("cache/this"),
    artifacts: folder.path("artifacts"),
    gitFolders: [],
    settings: {},
    environment: {},
    selfCommand: SELF,
  }));
  const start = { file: "/bin/true", args: [], cwd: folder.dir, env: {} };
  expect(sandbox.confine(start, new AbortController().signal)).rejects.toThrow(/could not create a private folder in /);
  await sandbox.close();
});

test("a working folder that is hidden is refused, and an abort is an abort", async () => {
  await using at = await sandboxPlace({ homeFiles: { ".ssh/x": "" } });
  expect(at.confineBash("true", { cwd: at.home.path(".ssh") })).rejects.toThrow(/sandbox hides the working folder/);
  await using inSecret = await sandboxPlace({
    deps: { home: at.home.dir, roots: [at.home.path(".ssh")], projectRoot: at.home.path(".ssh") },
  });
  expect(inSecret.confineBash("true", { cwd: at.home.path(".ssh") })).rejects.toThrow(
    /sandbox hides the working folder/,
  );
  const start = { file: "/bin/true", args: [], cwd: at.project.dir, env: {} };
  expect(at.sandbox.confine(start, AbortSignal.abort(new Error("stop")))).rejects.toThrow("stop");
});

describe("the explanation of a failure", () => {
  test.each([
    ["touch: cannot touch '/x': Read-only file system", "writes? only to the workspace"],
    ["npm error code EROFS", "only to the workspace"],
    ["curl: (6) Could not resolve host: example.com", "no network"],
    ["getaddrinfo EAI_AGAIN registry.example.com", "no network"],
    ["Error: getaddrinfo ENOTFOUND x", "no network"],
    ["connect: Network is unreachable", "no network"],
    ["curl: (22) Quoll's sandbox refused example.com: it is not among", "this host"],
    ["error: could not write config file .git/config: Device or resource busy", "git's hooks and settings"],
    ["error: could not lock config file .git/config: Permission denied", "git's hooks and settings"],
    ["Cannot connect to the Docker daemon at unix:///var/run/docker.sock.", "sockets of the system"],
    ["socket: Operation not permitted", "can't open sockets"],
    [
      'psycopg2.OperationalError: could not translate host name "db" to address: Name or service not known',
      "no network",
    ],
    ["<urlopen error [Errno -3] Temporary failure in name resolution>", "no network"],
    ["<urlopen error [Errno 111] Connection refused>", "No program listens"],
    ["npm error code EAI_AGAIN\nnpm error syscall getaddrinfo", "no network"],
    ["npm error EROFS: read-only file system, mkdir '/home/ada/.npm/_cacache/tmp'", "no network"],
    ["Couldn't connect to Docker daemon at http+docker://localhost - is it running?", "sockets of the system"],
    [
      "failed to connect to the docker API at unix:///var/run/docker.sock: connect: no such file or directory",
      "sockets of",
    ],
    ["Could not open a connection to your authentication agent.", "sockets of the system"],
    ["mkdir: cannot create directory ‘/h/.cache/x’: Read-only file system", "keeps /h/.cache/x from being changed"],
    ["bash: line 1: /h/x: Read-only file system", "keeps /h/x from"],
    ["OSError: [Errno 30] Read-only file system: '/h/y'", "keeps /h/y from"],
    ["Error: EROFS: read-only file system, open '/h/z'", "keeps /h/z from"],
    ["curl: (56) CONNECT tunnel failed, response 403", "not among the allowed domains"],
    ["curl: (7) Failed to connect to localhost port 4999 after 0 ms: Couldn't connect to server", "No program listens"],
    ['connection to server at "localhost" (127.0.0.1), port 5432 failed: Connection refused', "No program listens"],
    ["Error: connect ECONNREFUSED 127.0.0.1:6379", "No program listens"],
    ["bwrap: Can't mkdir parents for /x/s: Read-only file system", "was not run: run it once more"],
    ["bwrap: No permissions to create new namespace", "could not be set up. If"],
  ])("%s", (output, what) => {
    const line = explainFailure(`some output\n${output}\nmore`);
    expect(line).toMatch(new RegExp(what));
    expect(line).toContain("dangerouslyDisableSandbox");
    expect(line).not.toContain("\n");
  });

  test.each([
    ...["1 test failed", "", "error TS2322: Type", "No such file or directory", "command not found"],
    "bash: line 1: docker-compose: command not found",
    "bash: ./x.sh: Permission denied",
    "Error: Cannot find module 'display-name': not found",
    'connection to server on socket "/nowhere/.s.PGSQL.5432" failed: No such file or directory',
  ])("%j is the command's own fault", (output) => {
    expect(explainFailure(output)).toBeUndefined();
  });

  test.each([
    ["curl -s https://example.com", 6, "no network"],
    ["set -e; curl -fsS https://example.com | cat", 7, "no network"],
    ["curl -s http://localhost:3000/health", 7, "No program listens"],
    ["wget -q https://example.com", 4, "no network"],
    ["npx --yes cowsay hi", undefined, "no network"],
  ])("%s that says nothing and ends with %p", (command, exitCode, what) => {
    const closed = { refusesFiles: false, hasNetwork: false };
    expect(explainFailure("", [], closed, { command, exitCode })).toContain(what);
  });

  test.each([
    ["curl -s https://example.com", 22],
    ["curlew -s", 7],
    ["npx vitest", 1],
    ["wget --version", 2],
    ["false", 1],
  ])("%s that ends with %p says nothing about the sandbox", (command, exitCode) => {
    expect(explainFailure("", [], { refusesFiles: false, hasNetwork: false }, { command, exitCode })).toBeUndefined();
  });

  test.each([
    ["grep -n 'Connection refused' app.log; false", "12: Connection refused"],
    ["node -e 'console.log(\"Read-only file system\"); process.exit(1)'", "Read-only file system"],
  ])("%s, whose own words are the sign, says nothing about the sandbox", (command, output) => {
    expect(explainFailure(output, [], undefined, { command, exitCode: 1 })).toBeUndefined();
  });

  test("where files are refused instead of hidden, a refusal may be the sandbox's", () => {
    const refused = { refusesFiles: true, hasNetwork: false };
    expect(explainFailure("bash: src/n: Permission denied", [], refused)).toContain("hides credentials");
  });

  test("a database's socket that exists outside is named with its setting", async () => {
    await using folder = await tempProject({ ".s.PGSQL.5432": "" });
    const output = `psql: error: connection to server on socket "${folder.path(".s.PGSQL.5432")}" failed: No such file`;
    expect(explainFailure(output)).toMatch(/hides the socket .*allowUnixSockets/);
  });
});
