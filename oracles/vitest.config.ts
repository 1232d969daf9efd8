import { defineConfig } from "vitest/config";

export default defineConfig({ test: { include: ["oracles/*.test.ts"] } });
