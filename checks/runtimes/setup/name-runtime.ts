import { beforeEach } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** What ran the test, as it names itself. */
    runtime?: string;
  }
}

const agent = globalThis.navigator?.userAgent ?? "";

// Node has no user agent before 21, and from then on one without the minor version.
const runtime =
  agent === "" || agent.startsWith("Node.js/") ? `Node.js/${process.versions.node}` : agent;

beforeEach(({ task }) => {
  task.meta.runtime = runtime;
});
