import { describe, expect, test } from "bun:test";
import { chmod, mkdir, readdir, readFile, rename, stat, symlink, writeFile } from "node:fs/promises";
import { UserFacingError } from "../../../src/contracts/errors.ts";
import { tryLock } from "../../../src/platform/lock-file.ts";
import { credentialPlace, KEY, SECRET_TOOL, SECURITY } from "./support.ts";

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof UserFacingError) return error.message;
    throw error;
  }
  throw new Error("It was not refused.");
}

describe("without a keyring", () => {
  test("a key is kept in a file for this user alone, and found by the next process", async () => {
    await using place = await credentialPlace();
    const path = place.file.path;
    expect(await place.store.save("acme", { key: KEY, endpoint: "https://acme.example/v1" })).toEqual({
      source: "file",
      from: path,
      note: "there is no keyring on this machine",
    });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await place.open().lookup("acme")).toEqual({
      source: "file",
      from: path,
      key: KEY,
      endpoint: "https://acme.example/v1",
    });
    expect(place.open().list()).toEqual(["acme"]);
    expect(await readdir(place.home.path("config"))).toEqual(["credentials.json"]);
  });

  test("each part stays until it is given anew, and other providers stay as they are", async () => {
    await using place = await credentialPlace();
    await place.store.save("acme", { key: KEY });
    await place.store.save("other", { endpoint: "http://127.0.0.1:9/v1" });
    await place.store.save("acme", { endpoint: "https://a.example" });
    await place.store.save("acme", { key: `${KEY}2` });
    expect(JSON.parse(await readFile(place.file.path, "utf8"))).toEqual({
      version: 1,
      providers: {
        acme: { key: `${KEY}2`, endpoint: "https://a.example" },
        other: { endpoint: "http://127.0.0.1:9/v1" },
      },
    });
    expect(await place.store.lookup("other")).toEqual({
      source: "file",
      from: place.file.path,
      endpoint: "http://127.0.0.1:9/v1",
    });
    expect([await place.store.remove("acme"), await place.store.remove("acme")]).toEqual([true, false]);
    expect([await place.store.lookup("acme"), place.store.list()]).toEqual([undefined, ["other"]]);
  });

  test("names of an object's own parts are no providers", async () => {
    await using place = await credentialPlace();
    for (const name of ["constructor", "__proto__", "toString"]) {
      expect(await place.store.lookup(name)).toBeUndefined();
      expect((await place.store.status(name)).source).toBe("none");
    }
  });

  test.each([0o644, 0o640, 0o660, 0o606])("a file of mode %o is not used, whoever asks", async (mode) => {
    await using place = await credentialPlace();
    await place.store.save("acme", { key: KEY });
    await chmod(place.file.path, mode);
    const line = `Quoll does not use ${place.file.path}: other users may read or change it (mode ${mode.toString(8)}): run chmod 600 on it, and replace the keys if they may have leaked.`;
    expect(await refusal(place.store.lookup("acme"))).toBe(line);
    expect(await refusal(place.store.save("acme", { key: KEY }))).toBe(line);
    expect(await refusal(place.store.remove("acme"))).toBe(line);
    expect(await place.store.status("acme")).toEqual({ provider: "acme", source: "none", from: "", problem: line });
  });

  test("a link in the place of the file is neither read nor written through", async () => {
    await using place = await credentialPlace();
    await place.store.save("acme", { key: KEY });
    await rename(place.file.path, place.home.path("elsewhere.json"));
    const before = await readFile(place.home.path("elsewhere.json"), "utf8");
    await symlink(place.home.path("elsewhere.json"), place.file.path);
    const line = `Quoll does not use ${place.file.path}: it is a symbolic link: replace it with the file itself.`;
    expect(await refusal(place.store.lookup("acme"))).toBe(line);
    expect(await refusal(place.store.save("acme", { key: "sk-other-0123456789" }))).toBe(line);
    expect(await readFile(place.home.path("elsewhere.json"), "utf8")).toBe(before);
  });

  test("a file that Quoll did not write is reported, and not overwritten", async () => {
    await using place = await credentialPlace();
    await mkdir(place.home.path("config"));
    for (const text of [
      "",
      "{",
      "[]",
      '{"version":2,"providers":{}}',
      '{"version":1,"providers":{"acme":{"key":7}}}',
    ]) {
      await writeFile(place.file.path, text, { mode: 0o600 });
      const line = `${place.file.path} cannot be parsed: delete it, and log in again (quoll auth login <provider>).`;
      expect(await refusal(place.store.lookup("acme"))).toBe(line);
      expect(await refusal(place.store.save("acme", { key: KEY }))).toBe(line);
      expect(await readFile(place.file.path, "utf8")).toBe(text);
    }
  });

  test("a folder that cannot be written is reported, and nothing is left behind", async () => {
    await using place = await credentialPlace();
    await place.home.write("config", "a file");
    expect(await refusal(place.store.save("acme", { key: KEY }))).toStartWith(
      `${place.file.path} could not be written (`,
    );
  });

  test("two that save at once both succeed", async () => {
    await using place = await credentialPlace();
    const names = Array.from({ length: 8 }, (_, at) => `p${at}`);
    await Promise.all(names.map((name) => place.open().save(name, { key: KEY })));
    expect(place.store.list()).toEqual(names);
  });

  test("a file that somebody else is changing is waited for", async () => {
    await using place = await credentialPlace();
    await mkdir(place.home.path("config"));
    const held = tryLock(`${place.file.path}.lock`);
    if (!("lock" in held)) throw new Error("The lock is taken.");
    const saving = place.store.save("acme", { key: KEY });
    expect(await Promise.race([saving, Bun.sleep(50)])).toBeUndefined();
    held.lock.release();
    expect((await saving).source).toBe("file");
  });
});

describe("a variable", () => {
  test("takes precedence over the saved key; a blank one does not count; the saved endpoint stays", async () => {
    await using place = await credentialPlace({ env: { ACME_KEY: "  ", ACME_TOKEN: ` ${KEY} ` } });
    await place.store.save("acme", { key: "sk-saved-0123456789", endpoint: "https://a.example" });
    expect(await place.store.lookup("acme")).toEqual({
      source: "variable",
      from: "ACME_TOKEN",
      key: KEY,
      endpoint: "https://a.example",
    });
  });

  test("needs no file: an unsafe file does not matter", async () => {
    await using place = await credentialPlace({ env: { ACME_KEY: KEY } });
    await place.home.write("config/credentials.json", "rubbish");
    await chmod(place.file.path, 0o666);
    expect(await place.store.lookup("acme")).toEqual({ source: "variable", from: "ACME_KEY", key: KEY });
  });
});

describe.each([
  ["secret-tool", SECRET_TOOL, "linux", "the keyring (secret-tool)"],
  ["security", SECURITY, "darwin", "the keychain"],
] as const)("with %s", (name, text, os, shown) => {
  test("the key goes in by stdin alone, comes back, and stands in no file of ours and in no argument", async () => {
    await using place = await credentialPlace({ program: [name, text], os });
    expect(await place.store.save("acme", { key: KEY, endpoint: "https://a.example" })).toEqual({
      source: "keyring",
      from: shown,
    });
    expect(await place.open().lookup("acme")).toEqual({
      source: "keyring",
      from: shown,
      key: KEY,
      endpoint: "https://a.example",
    });
    expect(await readFile(place.file.path, "utf8")).not.toContain(KEY.slice(-8));
    const calls = await place.calls();
    expect(calls.split("\n").length).toBeGreaterThan(3);
    expect(calls).not.toContain(KEY.slice(-8));
    expect(calls).not.toContain(Buffer.from(KEY).toString("hex"));
  });

  test("removing takes it out of the keyring, too, also when it is gone there already", async () => {
    await using place = await credentialPlace({ program: [name, text], os });
    await place.store.save("acme", { key: KEY });
    const [kept = ""] = await readdir(place.home.path("keyring"));
    expect(await place.store.remove("acme")).toBe(true);
    expect([await readdir(place.home.path("keyring")), await place.open().lookup("acme")]).toEqual([[], undefined]);
    await place.store.save("acme", { key: KEY });
    await rename(place.home.path(`keyring/${kept}`), place.home.path("gone"));
    expect(await place.open().lookup("acme")).toBeUndefined();
    expect(await place.open().remove("acme")).toBe(true);
  });

  test("the helper is asked once for a key, and again after the provider refused the key", async () => {
    await using place = await credentialPlace({ program: [name, text], os });
    await place.store.save("acme", { key: KEY });
    const store = place.open();
    await store.lookup("acme");
    const before = (await place.calls()).length;
    await store.lookup("acme");
    expect((await place.calls()).length).toBe(before);
    store.forget("acme");
    await store.lookup("acme");
    expect((await place.calls()).length).toBeGreaterThan(before);
  });
});

describe("a keyring that fails", () => {
  const program = ["secret-tool", SECRET_TOOL] as const;

  test("at the first question is none", async () => {
    await using place = await credentialPlace({ program });
    await place.home.write("locked", "");
    expect((await place.store.save("acme", { key: KEY })).note).toBe(
      "the keyring of this machine does not respond; it may be locked",
    );
  });

  test("when it is written leaves the key to the file, and says why", async () => {
    await using place = await credentialPlace({ program });
    await place.home.write("deaf", "");
    expect(await place.store.save("acme", { key: KEY })).toEqual({
      source: "file",
      from: place.file.path,
      note: "the keyring (secret-tool) did not return the key",
    });
    expect((await place.open().lookup("acme"))?.key).toBe(KEY);
  });

  test("when it is read is told with what to do", async () => {
    await using place = await credentialPlace({ program });
    await place.store.save("acme", { key: KEY });
    const store = place.open();
    await store.status("nobody");
    await Bun.write(
      place.home.path("bin/secret-tool"),
      SECRET_TOOL.replace("lookup)", 'lookup) [ "$4" = - ] && exit 1; echo "is locked" >&2; exit 1;'),
    );
    expect(await refusal(store.lookup("acme"))).toBe(
      "The key for acme cannot be read from the keyring (secret-tool) (secret-tool: is locked): unlock it, or set ACME_KEY.",
    );
  });

  test("and is gone altogether is told with what to do", async () => {
    await using place = await credentialPlace({ program });
    await place.store.save("acme", { key: KEY });
    await rename(place.home.path("bin/secret-tool"), place.home.path("bin/elsewhere"));
    expect(await refusal(place.open().lookup("acme"))).toContain("keyring, which does not respond");
  });

  test("a program from the project's packages is not used as a keyring", async () => {
    await using place = await credentialPlace();
    await place.home.write("node_modules/.bin/secret-tool", SECRET_TOOL);
    await chmod(place.home.path("node_modules/.bin/secret-tool"), 0o755);
    const { findKeyring } = await import("../../../src/services/credentials/find-keyring.ts");
    const env = { HOME: place.home.dir, PATH: `${place.home.path("node_modules/.bin")}:/usr/bin:/bin` };
    expect(await findKeyring({ os: "linux", env, configFolder: "/x" })).toBeUndefined();
    expect(await place.calls()).toBe("");
  });
});

describe("status", () => {
  test("says where each key comes from, with four characters of it at most, and runs no helper", async () => {
    const helpers = { cloud: "touch $HOME/ran; echo key" };
    await using place = await credentialPlace({ env: { ACME_KEY: KEY }, helpers });
    await place.store.save("short", { key: "sk-12345" });
    await place.store.save("long", { key: KEY });
    const rows = await Promise.all(["acme", "short", "long", "cloud", "none"].map((name) => place.store.status(name)));
    const from = place.file.path;
    expect(rows).toEqual([
      { provider: "acme", source: "variable", from: "ACME_KEY", key: "…wxyz" },
      { provider: "short", source: "file", from, key: "…" },
      { provider: "long", source: "file", from, key: "…wxyz" },
      { provider: "cloud", source: "helper", from: helpers.cloud },
      { provider: "none", source: "none", from: "" },
    ]);
    expect(await readdir(place.home.dir)).not.toContain("ran");
  });
});
