import { expect, test } from "bun:test";
import { isDocumentationHost } from "../../../../src/contracts/documentation-hosts.ts";
import { evaluate } from "../../../../src/services/permission/judge/evaluate.ts";
import { setUp } from "../engine-support.ts";
import { situation } from "../support.ts";

test.each([
  "github.com",
  "raw.githubusercontent.com",
  "github.io",
  "gitlab.com",
  "readthedocs.io",
  "www.npmjs.com",
  "pypi.org",
  "docs.rs",
  "pkg.go.dev",
  "go.dev",
  "stackoverflow.com",
  "en.wikipedia.org",
  "en.cppreference.com",
  "www.php.net",
  "learn.microsoft.com",
  "developer.apple.com",
  "hexdocs.pm",
  "medium.com",
  "svelte.dev",
  "storage.googleapis.com",
])("the list of documentation holds no host on which strangers own pages: %s", (host) => {
  expect(isDocumentationHost(host)).toBe(false);
});

test("a host below one of the list, or around one, is not on the list", () => {
  for (const host of ["evil.docs.python.org", "python.org", "docs.python.org.evil.example", "xdocs.python.org"])
    expect(isDocumentationHost(host)).toBe(false);
  expect(isDocumentationHost("docs.python.org")).toBe(true);
});

test("the rule for documentation allows its hosts alone, and a deny rule is stricter", () => {
  const fetch = (host: string) => ({
    toolName: "WebFetch",
    level: "read" as const,
    subjects: [{ action: "network" as const, host, isDocumentation: isDocumentationHost(host) }],
  });
  const allow = ["WebFetch(documentation)"];
  const deny = ["WebFetch(domain:docs.python.org)"];
  expect(evaluate(fetch("docs.python.org"), situation({ allow })).decision).toBe("allow");
  expect(evaluate(fetch("documentation"), situation({ allow })).decision).toBe("ask");
  expect(evaluate(fetch("example.com"), situation({ allow })).decision).toBe("ask");
  expect(evaluate(fetch("docs.python.org"), situation({ allow, deny })).decision).toBe("deny");
});

test("an answer for the session may add the rule for documentation", () => {
  const { engine } = setUp();
  expect(engine.changeRules({ kind: "add", decision: "allow", rules: ["WebFetch(documentation)"] }, "a test")).toEqual(
    [],
  );
  expect(engine.describe().map(({ rule }) => rule)).toContain("WebFetch(documentation)");
});

test("a fetch is asked about in plan mode, where nothing may change, and denied where nobody asks", () => {
  const call = { toolName: "WebFetch", level: "read", subjects: [{ action: "network", host: "a.example" }] } as const;
  expect(evaluate(call, situation({}, { mode: "plan" })).decision).toBe("ask");
  expect(evaluate(call, situation({}, { mode: "acceptEdits" })).decision).toBe("ask");
  expect(evaluate(call, situation({}, { mode: "dontAsk" })).decision).toBe("deny");
});

test("a local host needs an allow rule of WebFetch that names exactly this host", () => {
  const allow = [
    "WebFetch(domain:localhost)",
    "WebFetch(domain:*.corp)",
    "WebFetch(domain:[::1])",
    "WebFetch(documentation)",
  ];
  const { engine } = setUp({
    rules: { allow, deny: ["WebFetch(domain:10.0.0.1)"], ask: ["WebFetch(domain:10.0.0.2)"] },
  });
  const named = [
    "localhost",
    "LOCALHOST",
    "[::1]",
    "wiki.corp",
    "127.0.0.1",
    "10.0.0.1",
    "10.0.0.2",
    "docs.python.org",
  ];
  expect(named.filter((host) => engine.namesHost(host))).toEqual(["localhost", "LOCALHOST", "[::1]"]);
  expect(setUp({ rules: { allow: ["WebFetch", "WebFetch(domain:*)"] } }).engine.namesHost("localhost")).toBe(false);
});
