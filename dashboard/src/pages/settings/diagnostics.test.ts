import { expect, it } from "vitest";
import type { InfoView } from "../../api/types.js";
import { diagnosticsOf } from "./diagnostics.js";

it("tells versions, and nothing of how the server is set up", () => {
  const text = diagnosticsOf(
    {
      version: "1.2.3",
      store: { kind: "sqlite", version: "3.50", schemaVersion: 10 },
      startedAt: "2026-01-05T09:00:00.000Z",
      now: "2026-01-05T10:00:00.000Z",
      environment: { label: "secret-plant", color: null },
      limits: {} as InfoView["limits"],
      retention: null,
      trustedProxies: 0,
      settings: [{ name: "API_TOKEN", value: "hush", secret: true, source: "environment" }],
    },
    {
      preferences: { theme: "dark", language: "ru", zone: "local", shortcuts: true },
      userAgent: "a browser",
      languages: ["ru"],
      zone: "Europe/Moscow",
      window: "1280x800",
      live: "live",
      clockOffsetMs: 12,
      capabilities: ["read"],
      page: "/settings",
    },
  );
  expect(text).toContain('"version": "1.2.3"');
  expect(text).toContain('"userAgent": "a browser"');
  expect(text).not.toContain("hush");
  expect(text).not.toContain("API_TOKEN");
  expect(text).not.toContain("secret-plant");
});
