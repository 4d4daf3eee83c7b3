import { describe, expect, test } from "bun:test";
import { bubblewrapArguments, namespaceArguments } from "../../../src/services/sandbox/bubblewrap-arguments.ts";
import { pathSet } from "../../../src/services/sandbox/guarded-folders.ts";
import { landlockRules } from "../../../src/services/sandbox/landlock-rules.ts";
import { accessAt, type Mount, orderMounts, type SandboxPolicy } from "../../../src/services/sandbox/policy.ts";
import { seatbeltProfile } from "../../../src/services/sandbox/seatbelt-profile.ts";
import { SECRET_PATHS } from "../../../src/services/sandbox/secret-paths.ts";
import { innerEnvironment } from "../../../src/services/sandbox/start-words.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { tempProject } from "../../support/temp-project.ts";

const FULL = { hasUserNamespace: true, forbidsNesting: true, hasOwnProc: true, isRoot: false };
const SYSTEM = ["--dev", "/dev", "--proc", "/proc"];
const policy = (more: Partial<SandboxPolicy> = {}): SandboxPolicy => ({
  mounts: [],
  temporary: "/own/tmp",
  temporaryInside: "/tmp",
  emptyFile: "/own/empty",
  lockedFile: "/own/locked",
  network: undefined,
  isInSharedNetwork: false,
  sockets: [],
  allowsListening: true,
  leavesTerminal: false,
  ...more,
});
const hidden = (path: string, kind: "file" | "folder" = "folder"): Mount => ({ access: "hidden", path, kind });
const writable = (path: string): Mount => ({ access: "writable", path });
const fixed = (path: string): Mount => ({ access: "fixed", path });
const openedFixed = (path: string): Mount => ({ access: "fixed", path, isOpened: true });
const readable = (path: string): Mount => ({ access: "readable", path });

describe("the order of mounts", () => {
  test("outer mounts come first, and mounts without effect are left out", () => {
    const mounts = [fixed("/w/.git/hooks"), hidden("/h/.ssh"), writable("/w"), hidden("/h/.ssh/x"), fixed("/other")];
    expect(orderMounts(mounts)).toEqual([writable("/w"), hidden("/h/.ssh"), fixed("/w/.git/hooks")]);
  });

  test("the strictest of several mounts for one path stays, in any order", () => {
    expect(orderMounts([writable("/w"), readable("/w")])).toEqual([writable("/w")]);
    expect(orderMounts([writable("/w"), writable("/w/a"), fixed("/w/a")])).toEqual([
      writable("/w"),
      openedFixed("/w/a"),
    ]);
    expect(orderMounts([hidden("/w"), writable("/w")])).toEqual([hidden("/w")]);
  });

  test("a read-only place opened inside a hidden one is readable there, not writable", () => {
    const opened = openedFixed("/t/w");
    expect(orderMounts([hidden("/t"), writable("/t/w"), fixed("/t/w")])).toEqual([hidden("/t"), opened]);
    expect(orderMounts([hidden("/t"), fixed("/t/w")])).toEqual([hidden("/t")]);
  });

  test("a place deeper in a hidden one can be opened", () => {
    expect(orderMounts([readable("/o/mine"), hidden("/o"), fixed("/o/x")])).toEqual([
      hidden("/o"),
      readable("/o/mine"),
    ]);
  });

  test("a pinned folder is mounted though all around it is writable", () => {
    const pinned: Mount = { access: "writable", path: "/w/.git", isPinned: true };
    expect(orderMounts([pinned, writable("/w"), writable("/w/src")])).toEqual([writable("/w"), pinned]);
  });

  test("a place that is opened and pinned is both, in any surroundings and any order", () => {
    const pinned: Mount = { access: "writable", path: "/w/a", isPinned: true };
    const both: Mount = { access: "writable", path: "/w/a", isPinned: true, isOpened: true };
    for (const mounts of [
      [pinned, writable("/w/a"), pinned],
      [writable("/w/a"), pinned],
    ]) {
      expect(orderMounts([writable("/w"), ...mounts])).toEqual([writable("/w"), both]);
      expect(orderMounts(orderMounts([fixed("/w"), writable("/"), ...mounts]))).toEqual([
        writable("/"),
        fixed("/w"),
        both,
      ]);
    }
  });

  test("pinning a folder never makes it writable", () => {
    const pinned: Mount = { access: "writable", path: "/w/a/b", isPinned: true };
    expect(orderMounts([writable("/w"), fixed("/w/a"), pinned])).toEqual([writable("/w"), fixed("/w/a")]);
    expect(orderMounts([pinned])).toEqual([]);
    expect(orderMounts([hidden("/w"), pinned])).toEqual([hidden("/w")]);
  });

  test("a name that only begins alike is no part of a folder", () => {
    expect(accessAt([hidden("/a/b")], "/a/bc")).toBe("fixed");
    expect(accessAt([hidden("/a/b")], "/a/b/c")).toBe("hidden");
  });

  test("leaving out changes no verdict, and the order of the input none either (1,000 random policies)", () => {
    const seed = 20_261_121;
    const random = seededRandom(seed);
    const names = ["a", "b", ".git"];
    for (let round = 0; round < 1_000; round += 1) {
      const path = () => `/${Array.from({ length: 1 + random.below(3) }, () => random.pick(names)).join("/")}`;
      const make = [writable, fixed, readable, (at: string) => hidden(at)];
      const mounts = Array.from({ length: 1 + random.below(7) }, () => random.pick(make)(path()));
      const asked = Array.from({ length: 5 }, path);
      const ordered = orderMounts(mounts);
      const shuffled = orderMounts(random.shuffle(mounts));
      expect({ seed, round, ordered: shuffled }).toEqual({ seed, round, ordered });
      for (const at of asked) {
        const verdict = accessAt(ordered, at);
        const around = mounts.filter((mount) => at === mount.path || at.startsWith(`${mount.path}/`));
        const deepest = Math.max(0, ...around.map((mount) => mount.path.length));
        const rank = { readable: 0, writable: 1, fixed: 2, hidden: 3 };
        const [strictest] = around
          .filter((mount) => mount.path.length === deepest)
          .sort((a, b) => rank[b.access] - rank[a.access]);
        if (strictest?.access === "writable" || strictest?.access === "hidden") expect(verdict).toBe(strictest.access);
        // `allowRead` opens hidden paths and removes no other access.
        else if (strictest?.access === "readable") expect(verdict).not.toBe("hidden");
        else expect(verdict).not.toBe("writable");
      }
    }
  });
});

describe("bubblewrap's arguments", () => {
  test("all mounts in order, then the program", () => {
    const mounts = [
      writable("/w"),
      hidden("/tmp"),
      hidden("/h/.ssh"),
      hidden("/h/.npmrc", "file"),
      hidden("/proc/acpi"),
      fixed("/w/.git/hooks"),
    ];
    const args = bubblewrapArguments(policy({ mounts }), FULL, { file: "/bin/bash", args: ["-c", "ls"], cwd: "/w" });
    expect(args.slice(namespaceArguments(FULL).length - SYSTEM.length)).toEqual([
      ...["--bind", "/own/tmp", "/tmp", "--bind", "/w", "/w"],
      ...["--ro-bind-try", "/w/.git/hooks", "/w/.git/hooks"],
      // Hiding mounts that contain no other mount come after the others, empty folders last.
      ...["--ro-bind", "/own/empty", "/h/.npmrc", "--perms", "0555", "--tmpfs", "/proc/acpi"],
      ...SYSTEM,
      ...["--perms", "0555", "--tmpfs", "/h/.ssh"],
      ...["--chdir", "/w", "--", "/bin/bash", "-c", "ls"],
    ]);
  });

  test("with a network the bridge runs the program, with a terminal it gets a session of its own", () => {
    const bridge = { folder: "/own/net", socket: "s", selfCommand: ["/bin/bun", "/q/cli.js"] };
    const network = { port: 9, bridge };
    const args = bubblewrapArguments(policy({ network, leavesTerminal: true, sockets: ["/x.sock"] }), FULL, {
      file: "/bin/true",
      args: [],
      cwd: "/w",
    });
    expect(args.slice(namespaceArguments(FULL).length - SYSTEM.length)).toEqual([
      ...[
        "--new-session",
        ...SYSTEM,
        "--bind-try",
        "/x.sock",
        "/x.sock",
        "--ro-bind",
        "/own/net",
        "/run/quoll",
        "--chdir",
        "/w",
        "--",
      ],
      ...["/bin/bun", "/q/cli.js", "__sandbox-bridge", "/run/quoll/s", "3128", "--", "/bin/true"],
    ]);
  });

  test.each([
    [FULL, ["--unshare-user", "--disable-userns"], "--proc"],
    [{ ...FULL, forbidsNesting: false }, ["--unshare-user"], "--proc"],
    [{ hasUserNamespace: false, forbidsNesting: false, hasOwnProc: false, isRoot: true }, [], undefined],
  ])("every variant cuts processes, network and capabilities: %j", (variant, start, proc) => {
    const args = namespaceArguments(variant);
    expect(args.slice(0, start.length)).toEqual(start);
    for (const always of ["--unshare-pid", "--unshare-ipc", "--unshare-net", "--die-with-parent"])
      expect(args).toContain(always);
    expect(args.join(" ")).toContain("--cap-drop ALL --ro-bind / /");
    expect(args.includes("--proc")).toBe(proc !== undefined);
  });
});

describe("Landlock's rights", () => {
  test("a folder with a secret in it gets none as a whole, its other entries do", async () => {
    await using project = await tempProject({
      "home/.ssh/id": "1",
      "home/a/b": "1",
      "home/c": "1",
      "ws/src/x": "1",
      "ws/top": "1",
      "tmp/x": "",
    });
    await Bun.write(project.path("ws/.git/config"), "");
    const mounts = [
      ...[hidden(project.path("home/.ssh")), writable(project.path("ws"))],
      ...[fixed(project.path("ws/.git")), fixed(project.path("ws/.quoll"))],
    ];
    const rules = landlockRules(policy({ mounts, temporary: project.path("tmp") })).filter(({ path }) =>
      path.startsWith(project.dir),
    );
    expect(rules.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { path: project.path("home/a"), access: "read" },
      { path: project.path("home/c"), access: "read" },
      { path: project.path("tmp"), access: "write" },
      { path: project.path("ws/.git"), access: "read" },
      { path: project.path("ws/src"), access: "write" },
      { path: project.path("ws/top"), access: "write" },
    ]);
  });

  test("allow only the harmless devices, and only names everywhere else", () => {
    const rules = landlockRules(policy({ mounts: [] }));
    expect(rules[0]).toEqual({ path: "/", access: "list" });
    const devices = rules.filter(({ path }) => path.startsWith("/dev"));
    expect(devices.map(({ path }) => path)).toEqual(
      ["null", "zero", "full", "random", "urandom", "tty"].map((name) => `/dev/${name}`),
    );
    expect(rules.some(({ path, access }) => path === "/" && access !== "list")).toBe(false);
  });
});

describe("the profile for macOS", () => {
  const mounts = [
    writable("/Users/a/w"),
    hidden("/Users/a/.ssh"),
    readable("/Users/a/own/art"),
    fixed("/Users/a/w/locked"),
  ];
  const profile = seatbeltProfile(policy({ mounts: [...mounts, hidden("/Users/a/own")] }), ["/Users/a/w"]);
  const lines = profile.split("\n");

  test("writes are refused first and opened after, secrets hidden, holes opened after them", () => {
    expect(lines.slice(0, 3)).toEqual(["(version 1)", "(allow default)", "(deny file-write*)"]);
    const at = (text: string) => lines.findIndex((line) => line.includes(text));
    const writes = at('(allow file-read* file-write* (subpath "/Users/a/w"))');
    expect(writes).toBeGreaterThan(2);
    expect(at('(deny file-write* (subpath "/Users/a/w/locked"))')).toBeGreaterThan(writes);
    const own = at('(deny file-read* file-write* (subpath "/Users/a/own"))');
    expect(at('(allow file-read* (subpath "/Users/a/own/art"))')).toBeGreaterThan(own);
    expect(at('(deny file-read* file-write* (subpath "/Users/a/.ssh"))')).toBeGreaterThan(2);
    expect(at('(allow file-read* file-write* (subpath "/own/tmp"))')).toBeGreaterThan(own);
  });

  /**
   * The paths that the profile's expressions refuse, read as JavaScript expressions; they use only syntax that
   * both languages share.
   */
  const refused = lines
    .filter((line) => line.startsWith("(deny file-write* (regex"))
    .flatMap((line) => [...line.matchAll(/\(regex "((?:[^"\\]|\\.)*)"\)/g)])
    .map(([, source = ""]) => new RegExp(source.replace(/\\(["\\])/g, "$1")));
  test.each([
    [".git", true],
    [".git/hooks/pre-commit", true],
    [".git/config", true],
    [".GIT/Config", true],
    [".git/modules/x/config", true],
    [".git/index", false],
    [".git/objects/ab/cd", false],
    ["sub/.git/hooks/x", true],
    [".quoll/settings.json", true],
    ["sub/.claude/skills/a/SKILL.md", true],
    ["CLAUDE.md", true],
    ["claude.md", true],
    ["docs/agents.md", true],
    [".mcp.json", true],
    ["src/main.ts", false],
    ["gitconfig", false],
    [".github/workflows/x.yml", false],
    ["xAGENTS.md", false],
  ])("in a workspace %s can't be written: %p", (name, isRefused) => {
    expect(refused.some((expression) => expression.test(`/Users/a/w/${name}`))).toBe(isRefused);
    expect(refused.some((expression) => expression.test(`/Users/b/${name}`))).toBe(false);
  });

  test("no network but the proxy and sockets that are named; listening as settings say", () => {
    const network = { port: 4711 };
    const open = seatbeltProfile(policy({ network, sockets: ["/x"], allowsListening: false }), []);
    const rules = open.split("\n").filter((line) => line.includes("network"));
    expect(rules).toEqual([
      "(deny network*)",
      '(allow network-outbound (remote ip "localhost:4711"))',
      '(allow network-outbound (literal "/x"))',
    ]);
    expect(profile).not.toContain("network-outbound");
  });

  test("odd names can't break out of a string, and every bracket is closed", () => {
    const odd = '/Users/a/w")(allow file-write*)("\\';
    const text = seatbeltProfile(policy({ mounts: [writable(odd)] }), [odd]);
    const outside = text.replace(/"(?:[^"\\]|\\.)*"/g, "");
    expect(outside.split("(").length).toBe(outside.split(")").length);
    expect(outside).not.toContain("allow file-write*)");
  });
});

describe("the environment inside", () => {
  const env = {
    PATH: "/bin",
    SSH_AUTH_SOCK: "/s",
    https_proxy: "http://p",
    QUOLL_SPAWN: "a:b",
    TMPDIR: "/outer",
    GOCACHE: "/g",
  };

  test("leads to no socket and no outer proxy, and keeps the rest", () => {
    expect(innerEnvironment(env, policy(), "bubblewrap", { GOCACHE: "/own/go-build" })).toEqual({
      PATH: "/bin",
      QUOLL_SPAWN: "a:b",
      TMPDIR: "/tmp",
      GOCACHE: "/own/go-build",
      npm_config_fetch_retries: "0",
      QUOLL_SANDBOX: "bubblewrap",
    });
  });

  test("with allowed domains it names the proxy: the bridge inside, or the proxy itself", () => {
    const network = { port: 4711 };
    const inside = innerEnvironment({}, policy({ network }), "bubblewrap");
    for (const name of ["HTTP_PROXY", "https_proxy", "ALL_PROXY"]) expect(inside[name]).toBe("http://127.0.0.1:3128");
    expect(inside["NO_PROXY"]).toBe("localhost,127.0.0.1,::1");
    expect(innerEnvironment({}, policy({ network }), "sandbox-exec")["HTTP_PROXY"]).toBe("http://127.0.0.1:4711");
  });
});

test("patterns and paths of a setting are told apart", () => {
  const set = pathSet(["/w/.env", "/w/**/.env.*", "/w/{a,b}/x"]);
  expect(set.plain).toEqual(["/w/.env"]);
  for (const path of ["/w/.env.local", "/w/deep/er/.env.x", "/w/a/x"]) expect(set.matches(path)).toBe(true);
  for (const path of ["/w/.env", "/w/c/x", "/v/.env.x"]) expect(set.matches(path)).toBe(false);
});

test("the table of secrets is well formed: relative to home, or absolute, each once", () => {
  const home = SECRET_PATHS.flatMap(({ atHome = [] }) => atHome);
  const anywhere = SECRET_PATHS.flatMap(({ anywhere: paths = [] }) => paths);
  expect(home.filter((name) => name.startsWith("/") || name.startsWith("~") || name.endsWith("/"))).toEqual([]);
  expect(anywhere.filter((name) => !name.startsWith("/"))).toEqual([]);
  expect(new Set([...home, ...anywhere]).size).toBe(home.length + anywhere.length);
  for (const name of [".ssh", ".aws", ".gnupg", ".npmrc", ".kube", ".netrc"]) expect(home).toContain(name);
});
