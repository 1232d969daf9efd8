import { onNode } from "./shared.ts";

export default onNode;
