import { expect, test } from "bun:test";
import { UserFacingError } from "../../../src/contracts/errors.ts";
import { chooseProvider } from "../../../src/services/provider/choose-provider.ts";

type Case = { readonly flag?: string; readonly setting?: string; readonly environment?: Record<string, string> };
const choose = ({ flag, setting, environment = {} }: Case) => chooseProvider({ flag, setting, environment });
const key = { ANTHROPIC_API_KEY: "k" };

test("with no key and no model the offline engine answers, as a fallback", () => {
  const fallback = { provider: "offline", model: "offline", fallback: true } as const;
  expect(choose({})).toEqual(fallback);
  expect(choose({ flag: " ", setting: "", environment: { ANTHROPIC_API_KEY: " ", ANTHROPIC_MODEL: "" } })).toEqual(
    fallback,
  );
});

test("offline that was chosen is no fallback, key or not", () => {
  const chosen = { provider: "offline", model: "offline", fallback: false } as const;
  expect(choose({ flag: "offline" })).toEqual(chosen);
  expect(choose({ flag: "Offline", environment: key })).toEqual(chosen);
  expect(choose({ setting: "offline", environment: key })).toEqual(chosen);
  expect(choose({ environment: { ANTHROPIC_MODEL: "offline" } })).toEqual(chosen);
});

test("the flag goes before the setting, the setting before the environment, and else it is the default", () => {
  const environment = { ...key, ANTHROPIC_MODEL: "env" };
  const models = [
    { flag: "flag", setting: "set", environment },
    { setting: "set", environment },
    { environment },
    { environment: key },
  ].map((given) => choose(given).model);
  expect(models).toEqual(["flag", "set", "env", "default"]);
});

test("the key goes before the token, and the address goes along", () => {
  const ANTHROPIC_BASE_URL = "https://gateway.example.com/v1";
  expect(choose({ environment: { ...key, ANTHROPIC_AUTH_TOKEN: "t" } })).toEqual({
    provider: "anthropic",
    model: "default",
    access: { apiKey: "k" },
  });
  expect(choose({ environment: { ANTHROPIC_AUTH_TOKEN: " t ", ANTHROPIC_BASE_URL } })).toEqual({
    provider: "anthropic",
    model: "default",
    access: { authToken: "t", baseUrl: ANTHROPIC_BASE_URL },
  });
});

test.each(["http://127.0.0.1:8080", "http://localhost:1234/v1", "http://[::1]:9", "http://llm.localhost"])(
  "a server on this machine (%s) needs no key",
  (baseUrl) => {
    expect(choose({ environment: { ANTHROPIC_BASE_URL: baseUrl } })).toEqual({
      provider: "anthropic",
      model: "default",
      access: { baseUrl },
    });
  },
);

test.each(["https://gateway.example.com", "http://127.0.0.1.example.com", "http://10.0.0.1"])(
  "the address alone of another machine (%s) is no access",
  (ANTHROPIC_BASE_URL) => {
    expect(choose({ environment: { ANTHROPIC_BASE_URL } })).toEqual({
      provider: "offline",
      model: "offline",
      fallback: true,
    });
  },
);

test.each([
  ["--model", { flag: "opus" }],
  ['the setting "model"', { setting: "opus" }],
  ["ANTHROPIC_MODEL", { environment: { ANTHROPIC_MODEL: "opus" } }],
] as const)("a model that is named by %s without a key is a usage error that names the variable", (by, given) => {
  let thrown: unknown;
  try {
    choose(given);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(UserFacingError);
  expect(thrown).toMatchObject({
    exitCode: 2,
    message: `There is no key for the model "opus" (from ${by}): set ANTHROPIC_API_KEY, or use --model offline, which needs none.`,
  });
});

test("an address that is none is a usage error, when it would be used", () => {
  expect(() => choose({ environment: { ANTHROPIC_BASE_URL: "localhost:8080" } })).toThrow(
    /ANTHROPIC_BASE_URL is "localhost:8080", which is no http or https address/,
  );
});
