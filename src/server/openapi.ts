/** `/openapi.json`, made from the schemas beside the routes. */
import swagger from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import { VERSION } from "./version.ts";

export async function registerOpenApi(app: FastifyInstance, tokensNeeded: boolean): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "SENS",
        version: VERSION,
        description:
          "A knowledge-event server: publish RDF, subscribe to what is new in the results of CONSTRUCT queries, coordinate by receive and remove. WebSocket clients connect to /ws with the subprotocol sens.v1.",
      },
      components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
      ...(tokensNeeded ? { security: [{ token: [] }] } : {}),
    },
    hideUntagged: true,
    transform: ({ schema, url, route }) => ({ url, schema: schema && { ...schema, operationId: operationId(route.method, url) } }),
  });
}

/** `POST /claims/:id/confirm` is postClaimsConfirm. */
function operationId(method: string | string[], url: string): string {
  const words = url.split(/[/-]/).filter((word) => word !== "" && !word.startsWith(":"));
  const ofOne = url.endsWith("/:id") || url.endsWith("/:name") ? "One" : "";
  return [method].flat()[0].toLowerCase() + words.map((word) => word[0].toUpperCase() + word.slice(1)).join("") + ofOne;
}
