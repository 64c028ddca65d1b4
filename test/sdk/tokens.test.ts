/** Tokens over a real connection: shown as a subprotocol, refused with a reason, limited by roles. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect } from "../../src/client/index.ts";
import { startServer } from "../../src/server/index.ts";

let server: { readonly url: string; close(): Promise<void> };

beforeAll(async () => {
  const tokens = "reader:read:r3ader-token,writer:publish:wr1ter+token/with=signs";
  server = await startServer({ host: "127.0.0.1", port: 0, data: ":memory:", reasoning: "none", ontologies: [], tokens });
});
afterAll(() => server.close());

describe("tokens", () => {
  it.each([undefined, "wrong"])("connect with %j is refused with SENS_UNAUTHORIZED, not with a lost connection", async (token) => {
    await expect(connect(server.url, { token })).rejects.toMatchObject({ code: "SENS_UNAUTHORIZED" });
  });

  it("a token gives its roles, and no others", async () => {
    const reader = await connect(server.url, { token: "r3ader-token" });
    const writer = await connect(server.url, { token: () => Promise.resolve("wr1ter+token/with=signs") });
    await writer.publish("<urn:a> <urn:p> <urn:b> .");
    expect(await reader.ask("ASK { <urn:a> <urn:p> <urn:b> }")).toBe(true);
    await expect(reader.publish("<urn:a> <urn:p> <urn:c> .")).rejects.toMatchObject({ code: "SENS_FORBIDDEN" });
    await expect(writer.ask("ASK {}")).rejects.toMatchObject({ code: "SENS_FORBIDDEN" });
    reader.close();
    writer.close();
  });

  it("a server that is not there is SENS_NOT_READY", async () => {
    await expect(connect("http://127.0.0.1:1")).rejects.toMatchObject({ code: "SENS_NOT_READY" });
    await expect(connect("ftp://127.0.0.1")).rejects.toMatchObject({ code: "SENS_CONFIG" });
  });
});
