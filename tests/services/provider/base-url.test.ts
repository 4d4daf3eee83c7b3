import { expect, test } from "bun:test";
import { parseBaseUrl } from "../../../src/services/provider/base-url.ts";

test.each([
  [undefined, "https://api.anthropic.com", "api.anthropic.com", false],
  ["  ", "https://api.anthropic.com", "api.anthropic.com", false],
  ["https://gw.example.com/", "https://gw.example.com", "gw.example.com", false],
  ["https://gw.example.com/anthropic/v1/", "https://gw.example.com/anthropic", "gw.example.com", false],
  ["https://gw.example.com/v1/messages", "https://gw.example.com", "gw.example.com", false],
  ["https://gw.example.com/api/v12", "https://gw.example.com/api/v12", "gw.example.com", false],
  ["http://127.0.0.1:8080/v1", "http://127.0.0.1:8080", "127.0.0.1:8080", true],
  ["http://[::1]:1", "http://[::1]:1", "[::1]:1", true],
  ["http://localhost.example.com", "http://localhost.example.com", "localhost.example.com", false],
])("%p is read as %s at %s, this machine: %p", (value, url, host, isLoopback) => {
  expect(parseBaseUrl(value)).toEqual({ url, host, isLoopback });
});

test.each(["ftp://x.example", "api.example.com", "file:///passwd", "http://", "::"])(
  "%s is refused with exit code 2",
  (value) => {
    expect(() => parseBaseUrl(value)).toThrow(
      `ANTHROPIC_BASE_URL is "${value}", which is not an http or https address: use one like https://api.anthropic.com.`,
    );
  },
);

test("a password in the address is refused and not repeated", () => {
  expect(() => parseBaseUrl("https://me:hunter2@api.example.com")).toThrow(/^((?!hunter2).)*$/);
  expect(() => parseBaseUrl("ftp://me:hunter2@api.example.com")).toThrow(
    /^((?!hunter2).)*not an http or https address((?!hunter2).)*$/,
  );
});
