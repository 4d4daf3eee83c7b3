import { reply } from "@quoll/model-twin/scenario";
import { type Conformance, END, GO, lookReply, OK, retries, round, saying } from "./lines.ts";

export const PROXIES: readonly Conformance[] = [
  ...["HTTP_PROXY", "http_proxy", "ALL_PROXY"].map((variable) => ({
    group: "proxies",
    name: `two rounds through the one in ${variable}`,
    proxy: { variable, is: "right" } as const,
    replies: [lookReply("a"), reply(OK)],
    expected: [GO, ...round(1, 1, "a"), ...END(2)],
  })),
  {
    group: "proxies",
    name: "a host in NO_PROXY is asked directly",
    proxy: { variable: "HTTP_PROXY", is: "excepted" },
    replies: [reply(OK)],
    expected: saying(OK),
  },
  {
    group: "proxies",
    name: "one for https alone is of no concern",
    proxy: { variable: "HTTPS_PROXY", is: "excepted" },
    replies: [reply(OK)],
    expected: saying(OK),
  },
  {
    group: "proxies",
    name: "one that is not there",
    proxy: { variable: "HTTP_PROXY", is: "down" },
    says: /^The proxy 127\.0\.0\.1:9 cannot be reached \(\w+\): check HTTP_PROXY, or add 127\.0\.0\.1:\d+ to NO_PROXY\. Quoll tried 10 times\.$/,
    replies: [],
    expected: [GO, "request 1", ...retries(9), 'finished 1 failed: ""'],
  },
  {
    group: "proxies",
    name: "a wrong password",
    proxy: { variable: "HTTP_PROXY", is: "wrong password" },
    says: /^The proxy 127\.0\.0\.1:\d+ requires a user name and a password \(407\): .* HTTP_PROXY/,
    replies: [],
    expected: [GO, "request 1", 'finished 1 failed: ""'],
  },
  {
    group: "proxies",
    name: "a wrong password for a tunnel",
    proxy: { variable: "HTTPS_PROXY", is: "wrong password" },
    at: "self-signed",
    says: /^The proxy 127\.0\.0\.1:\d+ requires a user name and a password \(407\): .* HTTPS_PROXY/,
    replies: [],
    expected: [GO, "request 1", 'finished 1 failed: ""'],
  },
  {
    group: "proxies",
    name: "a tunnel that is refused",
    proxy: { variable: "ALL_PROXY", is: "forbidding" },
    at: "self-signed",
    says: /^The proxy 127\.0\.0\.1:\d+ did not connect to 127\.0\.0\.1:\d+ \(403\): check ALL_PROXY, or add the host to NO_PROXY\.$/,
    replies: [],
    expected: [GO, "request 1", 'finished 1 failed: ""'],
  },
];
