import { expect, test } from "bun:test";
import {
  checkEndpoint,
  checkKey,
  checkProviderName,
  maskKey,
} from "../../../src/services/credentials/check-credential.ts";

const failureOf = (work: () => unknown) => {
  try {
    return work();
  } catch (error) {
    return (error as Error).message;
  }
};

test.each(["sk-ant-api03-abcdefghijklmnop", "AIzaSyA0123456789abcdef", "gsk_0123456789abcdef", "x".repeat(41)])(
  "%s in the place of a provider's name is taken for a key, and not repeated",
  (text) => {
    const message = String(failureOf(() => checkProviderName(text)));
    expect(message).toStartWith("Quoll does not accept a key as an argument, because other programs can see it");
    expect(message).not.toContain(text);
  },
);

test("a provider's name is small letters, digits and few signs", () => {
  expect(["Anthropic", " openai ", "llama.cpp", "my-server_2"].map(checkProviderName)).toEqual([
    "anthropic",
    "openai",
    "llama.cpp",
    "my-server_2",
  ]);
  for (const text of ["", "a b", "../x", "-x", "ä"]) {
    expect(failureOf(() => checkProviderName(text))).toBe(
      `${JSON.stringify(text)} is not a valid provider name: use at most 40 letters, digits, dots, - and _.`,
    );
  }
});

test("a key is one word of ASCII; what is wrong is said without it", () => {
  expect(checkKey("  sk-1\r\n")).toBe("sk-1");
  for (const text of ["", " \n", "a b", "a\nb", "schlüssel", "a\u0000b", "\u001b[A", "x".repeat(20_000)]) {
    const message = String(failureOf(() => checkKey(text)));
    expect(message).toEndWith(text.trim() === "" || text.length > 9_999 ? "nothing was saved." : "on one line.");
    if (text.trim().length > 2) expect(message).not.toContain(text.trim());
  }
});

test("text after an endpoint's path may be a key and is not repeated", () => {
  for (const mark of ["?", "#"])
    expect(() => checkEndpoint(`https://example.com/v1${mark}key=hidden`)).toThrow(
      `"https://example.com/v1${mark}…" is not the address of an endpoint: use one like https://example.com/v1.`,
    );
});

test("an endpoint is an http address without a password; one that is not encrypted is marked", () => {
  expect(
    ["https://a.example/v1/", "http://localhost:11434", "http://10.0.0.2:8000/v1", "http://[::1]:1/"].map(
      checkEndpoint,
    ),
  ).toEqual([
    { url: "https://a.example/v1", isOpen: false },
    { url: "http://localhost:11434", isOpen: false },
    { url: "http://10.0.0.2:8000/v1", isOpen: true },
    { url: "http://[::1]:1", isOpen: false },
  ]);
  for (const text of ["", "localhost:11434", "ftp://a.example", "https://", "https://a.example/?key=1"])
    expect(String(failureOf(() => checkEndpoint(text)))).toEndWith("use one like https://example.com/v1.");
  const secret = String(failureOf(() => checkEndpoint("https://ann:hunter2@a.example")));
  expect(secret).not.toContain("hunter2");
});

test("four characters of a key are shown at most, and none of a short one", () => {
  expect(["", "12345678", "123456789012345", "1234567890123456"].map(maskKey)).toEqual(["…", "…", "…", "…3456"]);
});

test.each([
  `"sk-test-0123456789"`,
  `'sk-test-0123456789'`,
  "OPENAI_API_KEY=sk-test-0123456789",
  "export A_KEY=sk-test-012345",
])("%s is a line that was copied whole, and not taken", (text) => {
  expect(() => checkKey(text)).toThrow(
    "The key is in quotation marks or follows a variable's name: nothing was saved. Enter only the key.",
  );
});

test("signs that keys do have are taken", () => {
  for (const key of ["AAAA==", 'ab"cd', "AKIA0123:abc/def+g=", "KEY=x"]) expect(checkKey(key)).toBe(key);
});
