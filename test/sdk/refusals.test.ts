/** What a caller of the SDK reads when a call was not meant so. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect, type SensClient } from "../../src/client/index.ts";
import { startServer } from "../../src/server/index.ts";

let server: { readonly url: string; close(): Promise<void> };
let client: SensClient;

beforeAll(async () => {
  server = await startServer({ host: "127.0.0.1", port: 0, data: ":memory:", reasoning: "none", ontologies: [] });
  client = await connect(server.url);
});
afterAll(async () => {
  client.close();
  await server.close();
});

const TURTLE = "@prefix : <urn:> .\n:a :b :c .";

describe("refusals", () => {
  it("a document of another type says as what it was read, and where that is said", async () => {
    for (const call of [client.publish(TURTLE), client.retract(TURTLE)]) {
      const position = { line: 1, column: expect.any(Number) };
      await expect(call).rejects.toMatchObject({ code: "SENS_SYNTAX", position, message: expect.stringContaining("contentType") });
    }
    const typed = client.publish("nonsense", { contentType: "text/turtle" });
    await expect(typed).rejects.toMatchObject({ message: expect.not.stringContaining("contentType") });
  });

  it("a query of another form is named with its article", async () => {
    await expect(client.select("ASK {}")).rejects.toThrow("This is an ASK query; select()");
    await expect(client.ask("SELECT * {}")).rejects.toThrow("This is a SELECT query; ask()");
  });

  it("a statement to explain is wanted as N-Triples with full IRIs", async () => {
    await expect(client.explain(":x :y :z .")).rejects.toThrow("N-Triples with full IRIs");
  });

  it("what is not RDF is refused before it is sent", async () => {
    await expect(client.publish({ a: 1 } as never)).rejects.toMatchObject({ code: "SENS_BAD_REQUEST" });
  });
});
