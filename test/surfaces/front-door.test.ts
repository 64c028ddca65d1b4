/** What somebody meets who knows the address only: the way to the page, and figures that explain themselves. */
import { describe, expect, it } from "vitest";
import { problemOf, served } from "./served.ts";

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";

describe("/", () => {
  it("leads a browser to /docs, without a token too", async () => {
    const { url } = await served({ tokens: "reader:read:token-of-read" });
    const answer = await fetch(`${url}/`, { headers: { accept: BROWSER }, redirect: "manual" });
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "/docs"]);
    const page = await fetch(`${url}/`, { headers: { accept: BROWSER } });
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  });

  it.each(["*/*", "application/json", "text/turtle", "text/html;q=0"])(
    "names /docs and /openapi.json to who accepts %s",
    async (accept) => {
      const { url } = await served();
      const answer = await fetch(`${url}/`, { headers: { accept }, redirect: "manual" });
      const { detail } = (await answer.clone().json()) as { readonly detail: string };
      expect(await problemOf(answer)).toEqual({ status: 404, code: "SENS_NOT_FOUND" });
      expect(detail).toMatch(/\/openapi\.json.*\/docs/);
    },
  );

  it("other unknown addresses name them as well", async () => {
    const { url } = await served();
    const { detail } = (await (await fetch(`${url}/nowhere`)).json()) as { readonly detail: string };
    expect(detail).toMatch(/"\/nowhere".*\/openapi\.json.*\/docs/);
  });
});

describe("/metrics", () => {
  it("says of each figure what it counts", async () => {
    const { url } = await served();
    const text = await (await fetch(`${url}/metrics`)).text();
    const helps = [...text.matchAll(/^# HELP sens_(\w+) (.*)$/gm)].map(([, name = "", help = ""]) => ({ name, help }));
    expect(helps.length).toBeGreaterThan(40);
    expect(helps.filter(({ name, help }) => help === name.replaceAll("_", " ") || /docs\//.test(help))).toEqual([]);
    expect(text).toContain("# HELP sens_dead_letters Takes that came back unconfirmed");
  });
});
