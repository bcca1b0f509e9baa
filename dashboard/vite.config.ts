import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  // Relative addresses: the base element says where they begin.
  base: "./",
  plugins: [react()],
  build: {
    outDir: fileURLToPath(new URL("../dist/dashboard", import.meta.url)),
    emptyOutDir: true,
    target: ["chrome123", "firefox125", "safari17.5"],
    // Text in the document is forbidden by the content security policy, so nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1_000,
  },
  worker: { format: "es" },
  server: { proxy: { "/v1": "http://127.0.0.1:8085" } },
});
