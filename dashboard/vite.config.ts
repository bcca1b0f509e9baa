import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig, normalizePath, type Plugin } from "vite";
import { catalogue } from "./src/i18n/catalogue.js";

const CATALOGUE = normalizePath(fileURLToPath(new URL("src/i18n/catalogue.ts", import.meta.url)));

/** Writes the key of each message once into what browsers load, and not again for each language. */
function keysOnce(): Plugin {
  return {
    name: "keys-once",
    apply: "build",
    load(id) {
      if (id !== CATALOGUE) return null;
      const { en, ...others } = catalogue;
      const keys = Object.keys(en) as (keyof typeof en)[];
      const texts = Object.entries(others).map(([language, all]) => [language, keys.map((key) => all[key])]);
      return `const en = ${JSON.stringify(en)};
const keys = Object.keys(en);
const others = Object.entries(${JSON.stringify(Object.fromEntries(texts))}).map(([language, texts]) => [
  language, Object.fromEntries(texts.map((text, index) => [keys[index], text]))
]);
export const catalogue = { en, ...Object.fromEntries(others) };`;
    },
  };
}

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  // Relative addresses: the base element says where they begin.
  base: "./",
  plugins: [react(), keysOnce()],
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
