/** The description of the HTTP routes and the page that uses it: complete, and true of the server. */
import { describe, expect, it } from "vitest";
import { served } from "./served.ts";

interface Media {
  readonly example?: unknown;
  readonly schema?: { readonly examples?: readonly unknown[] };
}
interface Described {
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly operationId?: string;
  readonly responses: Readonly<Record<string, { readonly headers?: Readonly<Record<string, unknown>> }>>;
}
interface Description {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
}

const METHODS = ["get", "post", "put", "delete", "head"];

async function description(url: string): Promise<Description> {
  return (await (await fetch(`${url}/openapi.json`)).json()) as Description;
}

describe("/openapi.json", () => {
  it("names every route of the specification", async () => {
    const { url } = await served();
    const { openapi, paths } = await description(url);
    expect(openapi).toBe("3.1.0");
    const expected = {
      "/publish": "post",
      "/retract": "post",
      "/sparql": "get post",
      "/query": "get post",
      "/update": "post",
      "/graphs": "get put post delete",
      "/subscriptions": "get post",
      "/subscriptions/{id}": "get delete",
      "/subscriptions/{id}/events": "get",
      "/subscriptions/{id}/result": "get",
      "/insertions": "get post",
      "/insertions/{id}": "get delete",
      "/receive": "post",
      "/try-receive": "post",
      "/remove": "post",
      "/try-remove": "post",
      "/claims/{id}/confirm": "post",
      "/claims/{id}/release": "post",
      "/claims/{id}/extend": "post",
      "/ontologies": "get",
      "/ontologies/{name}": "get put delete",
      "/rules": "get",
      "/rules/{name}": "get put delete",
      "/explain": "post",
      "/changes": "get",
      "/health": "get",
      "/ready": "get",
      "/metrics": "get",
      "/openapi.json": "get",
    };
    for (const [path, methods] of Object.entries(expected)) {
      for (const method of methods.split(" ")) expect(paths[path]?.[method], `${method} ${path}`).toBeDefined();
    }
  });

  it("describes each route with a tag, a summary, a problem and, where there is a body, an example", async () => {
    const { url } = await served();
    for (const [path, item] of Object.entries((await description(url)).paths)) {
      for (const [method, operation] of Object.entries(item)) {
        const where = `${method} ${path}`;
        expect(METHODS, where).toContain(method);
        expect(operation.tags?.[0], where).toBeTruthy();
        expect(operation.summary, where).toBeTruthy();
        expect(operation.responses.default, where).toBeDefined();
        const media = Object.values(operation.requestBody?.content ?? {});
        if (operation.requestBody)
          expect(
            media.some((one) => one.example !== undefined || one.schema?.examples !== undefined),
            where,
          ).toBe(true);
      }
    }
  });

  it("names operations apart and the headers that a client needs", async () => {
    const { url } = await served();
    const { paths } = await description(url);
    const operations = Object.values(paths).flatMap((item) => Object.values(item));
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    expect(paths["/claims/{id}/confirm"].post.operationId).toBe("postClaimsConfirm");
    const headers = (path: string, method: string, status: string): string[] =>
      Object.keys(paths[path][method].responses[status].headers ?? {});
    expect(headers("/remove", "post", "200")).toEqual(["Sens-Cursor", "Sens-Claim", "Sens-Deliveries", "Sens-Still-Entailed"]);
    expect(headers("/receive", "post", "204")).toEqual(["Sens-Cursor"]);
    expect(headers("/subscriptions", "post", "201")).toEqual(["Sens-Cursor", "Location"]);
    const named = (path: string, method: string): string[] => (paths[path][method].parameters ?? []).map(({ name }) => name);
    expect(named("/update", "post")).toEqual(expect.arrayContaining(["using-graph-uri", "using-named-graph-uri"]));
    expect(named("/changes", "get")).toContain("last-event-id");
  });

  it("gives examples of bodies that the server takes", async () => {
    const { url } = await served();
    const { paths } = await description(url);
    const tried: string[] = [];
    for (const [path, item] of Object.entries(paths)) {
      if (path.includes("{") || path === "/graphs") continue;
      for (const [type, media] of Object.entries(item.post?.requestBody?.content ?? {})) {
        const example = media.example ?? media.schema?.examples?.[0];
        if (example === undefined || type.includes("form")) continue;
        const body = typeof example === "string" ? example : JSON.stringify(example);
        const response = await fetch(`${url}${path}${path === "/receive" || path === "/remove" ? "?timeout=0" : ""}`, {
          method: "POST",
          headers: { "content-type": type },
          body,
        });
        expect(`${path} ${type} ${response.ok}`).toBe(`${path} ${type} true`);
        tried.push(path);
      }
    }
    expect(new Set(tried).size).toBeGreaterThan(8);
  });
});

describe("/docs", () => {
  it("is a page that loads nothing from elsewhere, by policy and by content", async () => {
    const { url } = await served();
    const page = await fetch(`${url}/docs`);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'self'");
    const html = await page.text();
    const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]);
    expect(links).toContain("/docs/page.js");
    for (const link of links) {
      expect(link.startsWith("/")).toBe(true);
      expect((await fetch(url + link)).status).toBe(200);
    }
    expect(html).not.toMatch(/<script>|style=|onclick=/);
  });

  it("has a script that is well-formed", async () => {
    const { url } = await served();
    const script = await (await fetch(`${url}/docs/page.js`)).text();
    const { Script } = await import("node:vm");
    expect(() => new Script(script)).not.toThrow();
  });
});
