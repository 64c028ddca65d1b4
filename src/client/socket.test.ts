import { afterEach, describe, expect, it, vi } from "vitest";
import { connect } from "./client.ts";

afterEach(() => vi.unstubAllGlobals());

describe("opening a socket", () => {
  it("where there is no WebSocket, connecting is refused with what the SDK needs", async () => {
    vi.stubGlobal("WebSocket", undefined);
    await expect(connect("http://127.0.0.1:1")).rejects.toMatchObject({
      name: "SensError",
      code: "SENS_CONFIG",
      message: expect.stringContaining("Node 22 or newer, or a browser"),
    });
  });

  it("a socket that the platform refuses to make ends the attempt with its reason", async () => {
    const openSocket = (): never => {
      throw new Error("insecure from a secure page");
    };
    await expect(connect("http://127.0.0.1:1", {}, { openSocket })).rejects.toMatchObject({
      code: "SENS_CONFIG",
      message: expect.stringContaining("insecure from a secure page"),
    });
  });
});
