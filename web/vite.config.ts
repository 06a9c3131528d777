import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// The built files are committed and embedded, so the output must be the same on every machine: no source maps,
// names by content, one script, one worker, one style sheet.
export default defineConfig({
  plugins: [svelte({ compilerOptions: { runes: true } })],
  build: {
    target: "es2023",
    sourcemap: false,
    cssCodeSplit: false,
    modulePreload: false,
    reportCompressedSize: false,
    assetsInlineLimit: 0,
  },
  worker: { format: "es" },
  // A loaded machine is no failure: what hangs ends all the same.
  test: { include: ["src/**/*.test.ts", "tests/**/*.test.mjs"], environment: "node", testTimeout: 120_000, hookTimeout: 120_000 },
} as never);
