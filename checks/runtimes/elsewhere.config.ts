import { elsewhere } from "./shared.ts";

// Deno and Bun run vitest themselves.
export default elsewhere;
