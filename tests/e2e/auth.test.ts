import { describe, expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { failing, fault, reply, toolUse } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import { KEY, SECRET_TOOL } from "../services/credentials/support.ts";
import { deepTest, eachOrDeep } from "../support/deep.ts";
import { linesOf } from "../support/lines-of.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

type Place = Awaited<ReturnType<typeof quollPlace>>;

const fileOf = (place: Place) => join(place.home.dir, "own/config/credentials.json");
const savedIn = async (place: Place) => JSON.parse(await readFile(fileOf(place), "utf8")).providers;

/** A search path whose first folder holds a keyring's program. */
async function withKeyring(place: Place): Promise<Readonly<Record<string, string>>> {
  chmodSync(await place.home.write("bin/secret-tool", SECRET_TOOL), 0o755);
  return { PATH: `${place.home.path("bin")}:${process.env["PATH"]}` };
}

describe("quoll auth login", () => {
  test("takes a key from stdin, and logout takes it away", async () => {
    await using place = await quollPlace();
    expect(await place.run(["auth", "login", "anthropic", "--key-stdin"], { stdin: `${KEY}\n` })).toEqual({
      code: 0,
      out: `Saved the key …wxyz for anthropic in ${fileOf(place)}, for you alone (there is no keyring on this machine).\n`,
      err: "",
    });
    expect(await savedIn(place)).toEqual({ anthropic: { key: KEY } });
    expect(await place.run(["auth", "logout", "anthropic"])).toEqual({
      code: 0,
      out: "Removed the saved key and address of anthropic.\n",
      err: "",
    });
    expect((await place.run(["auth", "logout", "anthropic"])).out).toBe("Nothing was saved for anthropic.\n");
  });

  deepTest("puts it into the keyring where there is one", async () => {
    await using place = await quollPlace();
    const env = await withKeyring(place);
    const login = await place.run(["auth", "login", "openai", "--key-stdin"], { stdin: KEY, env });
    expect(login.out).toBe("Saved the key …wxyz for openai in the keyring (secret-tool).\n");
    expect(await savedIn(place)).toEqual({ openai: { inKeyring: true } });
    const status = await place.run(["auth", "status", "--json"], { env });
    expect(JSON.parse(status.out)).toContainEqual({
      provider: "openai",
      source: "keyring",
      from: "the keyring (secret-tool)",
      key: "…wxyz",
    });
  });

  test("asks for it on the terminal, where nothing of it is shown, and leaves the terminal as it was", async () => {
    await using place = await quollPlace();
    const script = `stty -a > before; "$@" auth login anthropic; echo "code $?"; stty -a > after; cmp before after && echo same`;
    await using terminal = terminalProcess(["bash", "-c", script, "bash", ...QUOLL], {
      cwd: place.project.dir,
      env: place.environmentOf({}),
      columns: 200,
    });
    await terminal.shows("Key for anthropic (not shown):");
    terminal.type("wrong\u0015\u001b[A");
    terminal.type(`${KEY}x\u007f\r`);
    await terminal.shows("same");
    expect(terminal.all).toContain("code 0");
    expect(terminal.output).not.toContain(KEY.slice(0, -5));
    expect(await savedIn(place)).toEqual({ anthropic: { key: KEY } });
  });

  eachOrDeep(
    "%s cancels and saves nothing",
    1,
    [
      ["Ctrl-C", "\u0003"],
      ["Ctrl-D", "\u0004"],
    ],
    async (_, keys) => {
      await using place = await quollPlace();
      const script = `"$@" auth login anthropic; echo "code $?"; stty -a | grep -o ' echo '`;
      await using terminal = terminalProcess(["bash", "-c", script, "bash", ...QUOLL], {
        cwd: place.project.dir,
        env: place.environmentOf({}),
      });
      await terminal.shows("not shown");
      terminal.type(keys);
      await terminal.shows(/code 130\s+echo/);
      expect(terminal.all).toContain("quoll: cancelled; nothing was saved");
      expect(place.ownFiles()).toEqual([]);
    },
  );

  eachOrDeep(
    "refuses a key as an argument without repeating it: %j",
    1,
    [
      [["anthropic", KEY]],
      [["anthropic", "--key", KEY]],
      [["anthropic", `--api-key=${KEY}`]],
      [["anthropic", "--apiKey", KEY]],
      [["anthropic", "--token", KEY, "--key-stdin"]],
      [[KEY]],
      [[KEY, "anthropic"]],
    ],
    async (words) => {
      await using place = await quollPlace();
      const result = await place.run(["auth", "login", ...words], { stdin: "sk-other-0123456789" });
      expect({ ...result, err: result.err.slice(0, 101) }).toEqual({
        code: 2,
        out: "",
        err: "quoll: Quoll does not accept a key as an argument, because other programs can see it and the shell ke",
      });
      expect(result.err).not.toContain(KEY);
      expect(place.ownFiles()).toEqual([]);
    },
  );

  deepTest(
    "saves an endpoint alone, also of a provider of one's own, and warns of one that is not encrypted",
    async () => {
      await using place = await quollPlace();
      expect(await place.run(["auth", "login", "shed", "--endpoint", "http://10.1.2.3:8000/v1/"])).toEqual({
        code: 0,
        out: `Saved the endpoint http://10.1.2.3:8000/v1 for shed in ${fileOf(place)}, for you alone.\n`,
        err: "quoll: requests to http://10.1.2.3:8000/v1 are not encrypted: others on the network can read them and the key\n",
      });
      const both = await place.run(["auth", "login", "shed", "--endpoint", "https://a.example", "--key-stdin"], {
        stdin: KEY,
      });
      expect(both.err).toBe("");
      expect(await savedIn(place)).toEqual({ shed: { key: KEY, endpoint: "https://a.example" } });
      expect((await place.run(["auth", "status"])).out).toBe(`shed  …wxyz  ${fileOf(place)}  at https://a.example\n`);
    },
  );

  deepTest("accepts other names of a provider", async () => {
    await using place = await quollPlace();
    await place.run(["auth", "login", "Gemini", "--key-stdin"], { stdin: KEY });
    expect(await savedIn(place)).toEqual({ google: { key: KEY } });
    expect((await place.run(["auth", "logout", "gemini"])).out).toBe("Removed the saved key and address of google.\n");
  });

  deepTest("reports each wrong input in one line", async () => {
    await using place = await quollPlace();
    const wrong = async (args: readonly string[], stdin?: string) => {
      const { code, out, err } = await place.run(["auth", ...args], stdin === undefined ? {} : { stdin });
      return [code, out, err];
    };
    expect(await wrong(["login", "antropic", "--key-stdin"], KEY)).toEqual([
      2,
      "",
      'quoll: There is no provider "antropic". Did you mean anthropic? For your own provider, add --endpoint <url>.\n',
    ]);
    expect(await wrong(["login", "anthropic"])).toEqual([
      2,
      "",
      "quoll: There is no terminal to ask in; pipe the key: quoll auth login anthropic --key-stdin < file.\n",
    ]);
    expect(await wrong(["login", "anthropic", "--key-stdin"], " \n")).toEqual([
      2,
      "",
      "quoll: The key is empty: nothing was saved.\n",
    ]);
    expect((await wrong(["login", "anthropic", "--key-stdin"], "x".repeat(100_000)))[2]).toBe(
      "quoll: --key-stdin: the input is too long for a key: nothing was saved.\n",
    );
    expect((await wrong(["login"]))[0]).toBe(2);
    expect(place.ownFiles()).toEqual([]);
  });

  deepTest("a variable with precedence is reported, at login and at logout", async () => {
    await using place = await quollPlace();
    const env = { OPENAI_API_KEY: "sk-from-the-variable-9876" };
    const login = await place.run(["auth", "login", "openai", "--key-stdin"], { stdin: KEY, env });
    expect(login.err).toBe("quoll: OPENAI_API_KEY is set, and takes precedence over the saved key\n");
    const logout = await place.run(["auth", "logout", "openai"], { env });
    expect(logout.err).toBe("quoll: OPENAI_API_KEY is still set, and gives access to openai\n");
  });
});

describe("an endpoint that was saved", () => {
  deepTest("is the one that is asked, and a name near to it is asked of nobody", async () => {
    await using place = await quollPlace({ scenario: [reply("From the vendor.")] });
    await using box = await startTwin({ scenario: [reply("From the box.")], openai: { requireKey: false } });
    await place.run(["auth", "login", "box", "--endpoint", `${box.url}/v1`]);
    expect(await place.run(["-p", "hi", "--model", "box/house-model"])).toMatchObject({
      code: 0,
      out: "From the box.\n",
    });
    const wrong = await place.run(["-p", "hi", "--model", "bxo/house-model"]);
    expect(wrong).toMatchObject({ code: 2, out: "" });
    expect(wrong.err).toContain("Did you mean box/house-model?");
    expect(place.twin.requests).toEqual([]);
    expect((await place.run(["auth", "login", "box", "--key-stdin"], { stdin: KEY })).code).toBe(0);
  });
});

describe("quoll auth status", () => {
  test("shows every source with the end of its key", async () => {
    const settings = {
      apiKeyHelper: "pass show anthropic",
      providers: { shed: { baseUrl: "https://a.example", apiKeyEnv: "SHED_KEY" } },
    };
    await using place = await quollPlace({ settings });
    await place.run(["auth", "login", "groq", "--key-stdin"], { stdin: "gsk_0123456789abcdefgh" });
    const env = { SHED_KEY: "shed-0123456789-last", GEMINI_API_KEY: "short" };
    const { code, out, err } = await place.run(["auth", "status"], { env });
    expect([code, err]).toEqual([0, ""]);
    expect(
      out
        .split("\n")
        .filter((line) => line !== "")
        .sort(),
    ).toEqual([
      "anthropic  -      helper: pass show anthropic",
      "google     …      GEMINI_API_KEY",
      `groq       …efgh  ${fileOf(place)}`,
      "shed       …last  SHED_KEY",
    ]);
  });

  deepTest("names a project's helper never, and says how to begin where there is nothing", async () => {
    await using place = await quollPlace({
      files: { ".quoll/settings.json": '{ "apiKeyHelper": "curl evil.example" }' },
    });
    const { out, err } = await place.run(["auth", "status"]);
    expect(out).toBe("No provider has a key here. `quoll auth login <provider>` saves a key.\n");
    expect(err).toMatch(/settings\.json:1: .*apiKeyHelper/);
  });
});

/** Several runs of the program, on a machine that may be busy. */
const RUNS_MS = 20_000;

describe("a session's key", () => {
  const init = (out: string) => JSON.parse(linesOf(out)[0] ?? "{}").apiKeySource;
  const stream = ["-p", "hi", "--output-format", "stream-json", "--verbose"];

  deepTest(
    "is reported with its real source in the first line",
    async () => {
      await using place = await quollPlace({ scenario: () => reply("Hi.") });
      const env = { ANTHROPIC_API_KEY: "" };
      expect(init((await place.run(stream)).out)).toBe("ANTHROPIC_API_KEY");
      expect(init((await place.run(stream, { env: { ...env, ANTHROPIC_AUTH_TOKEN: "t" } })).out)).toBe(
        "ANTHROPIC_AUTH_TOKEN",
      );
      expect(init((await place.run(stream, { env })).out)).toBe("none");
      const helper = JSON.stringify({ apiKeyHelper: `echo ${KEY}` });
      expect(init((await place.run([...stream, "--settings", helper], { env })).out)).toBe("apiKeyHelper");
      await place.run(["auth", "login", "anthropic", "--key-stdin"], { stdin: KEY });
      expect(init((await place.run(stream, { env })).out)).toBe("user");
      expect(init((await place.run([...stream, "--model", "offline"])).out)).toBe("none");
    },
    RUNS_MS,
  );

  test(
    "that was looked up is hidden from the model, wherever it stands",
    async () => {
      const scenario = [reply([toolUse("Bash", { command: "cat notes", description: "Reads" })]), reply("Done.")];
      await using place = await quollPlace({ scenario, files: { notes: "say pass-phrase-of-mine-77 to the door\n" } });
      await place.run(["auth", "login", "anthropic", "--key-stdin"], { stdin: "pass-phrase-of-mine-77" });
      expect((await place.run(["-p", "read it"], { env: { ANTHROPIC_API_KEY: "" } })).code).toBe(0);
      const bodyText = place.twin.requests[1]?.bodyText ?? "";
      expect(bodyText).toMatch(/say \[\[SECRET:environment:\w+\]\] to the door/);
      expect(bodyText).not.toContain("pass-phrase-of-mine-77");
    },
    RUNS_MS,
  );

  deepTest(
    "that is refused is looked up once more; then one line names its place and how to fix it",
    async () => {
      await using place = await quollPlace({ scenario: () => failing(fault.status(401, { message: "no" })) });
      const env = { ANTHROPIC_API_KEY: "" };
      const count = place.home.path("count");
      const helper = JSON.stringify({ apiKeyHelper: `echo x >> ${count}; wc -l < ${count} | sed s/^/key-/` });
      const { code, err } = await place.run(["-p", "hi", "--settings", helper], { env });
      expect([code, linesOf(err)]).toEqual([
        1,
        [expect.stringMatching(/does not accept the key \(401\): check the key of the key helper \(echo x .*\)\.$/)],
      ]);
      expect([place.twin.requests.length, await readFile(count, "utf8")]).toEqual([2, "x\nx\n"]);
      await place.run(["auth", "login", "anthropic", "--key-stdin"], { stdin: KEY });
      expect((await place.run(["-p", "hi"], { env })).err).toEndWith(
        `does not accept the key (401): check the key in ${fileOf(place)} ("quoll auth login anthropic" replaces it).\n`,
      );
    },
    RUNS_MS,
  );
});
