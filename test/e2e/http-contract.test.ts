import { readFileSync, writeFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import { startHttpServer } from "../support/http-server.js";
import { routesOf } from "../support/routes.js";

const FILE = new URL("../../docs/openapi.json", import.meta.url);

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly responses: Readonly<Record<string, object>>;
  readonly security: object[];
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

async function servedDocument(): Promise<{ text: string; document: Document; urls: string[] }> {
  const server = await startHttpServer();
  const answer = await server.get("/openapi.json", { token: null });
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  const urls = routesOf(server.server.app).map(({ url }) => url.replaceAll(/:(\w+)/g, "{$1}"));
  return { text: answer.text, document: answer.json as Document, urls };
}

describe("the OpenAPI document", () => {
  test("is the one in the repository", async () => {
    const { text } = await servedDocument();
    const pretty = `${JSON.stringify(JSON.parse(text), null, 2)}\n`;
    // KONVEIER_UPDATE_OPENAPI=1 npx vitest run test/e2e/http-contract.test.ts writes it anew.
    if (process.env["KONVEIER_UPDATE_OPENAPI"] === "1") writeFileSync(FILE, pretty);
    expect(readFileSync(FILE, "utf8") === pretty, "docs/openapi.json is not what the server serves").toBe(
      true,
    );
  });

  test("is valid OpenAPI 3.1", async () => {
    const { document } = await servedDocument();
    const result = await new Validator().validate(structuredClone(document) as never);
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
  });

  test("has every address of the router, and no other", async () => {
    const { document, urls } = await servedDocument();
    expect(Object.keys(document.paths).sort()).toEqual([...new Set(urls)].sort());
  });

  test("gives each operation an id of its own, a sentence, who may call it, and its problems", async () => {
    const { document } = await servedDocument();
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { operationId, summary, security, responses } of operations) {
      expect(summary, operationId).toMatch(/^[A-Z].*\.$/);
      expect(Array.isArray(security), operationId).toBe(true);
      expect(Object.keys(responses), operationId).toEqual(expect.arrayContaining(["400", "500", "503"]));
    }
  });

  test("speaks no words of ours that no tool knows", async () => {
    const { text } = await servedDocument();
    expect(text).not.toContain("x-fault");
  });
});
