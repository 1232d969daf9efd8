// What the server plays, and the one tool that all clients have. The model asks for the same tool
// in every turn, so that its ids, which restart in each, repeat.

export const MODEL = "moonshotai/Kimi-K3";

export const TOOL = {
  name: "lookup_city",
  description: "Looks up a city",
  parameters: {
    type: /** @type {const} */ ("object"),
    properties: { city: { type: /** @type {const} */ ("string") } },
    required: /** @type {["city"]} */ (["city"]),
    additionalProperties: /** @type {const} */ (false),
  },
};

/** The text of the turn that ends an answer. */
export const FINAL_TEXT = "That is all of it.";

/**
 * A turn of the model: the cities it asks for side by side, or the text that ends its answer.
 *
 * @typedef {string[] | string} Turn
 */

/**
 * @typedef {object} Scenario
 * @property {string[]} users what the user says, one after the other in one conversation
 * @property {Turn[]} turns
 * @property {boolean} isStreamed
 * @property {boolean} isSplit whether the closing event has other ids than the items before it
 * @property {boolean} isRefusedOnce whether the first request gets a 429
 * @property {boolean} isCompressed whether the server compresses for those that take it
 * @property {"restart" | "same" | "none"} ids those of the calls in a turn: numbered from 0, all the same, or none
 * @property {boolean} isCutOnce whether the first answer breaks off in its call
 * @property {boolean} isOfAgents whether only agents play it
 */

const ONE_USER = {
  users: ["Look up the cities."],
  isStreamed: true,
  isSplit: false,
  isRefusedOnce: false,
  isCompressed: false,
  ids: /** @type {const} */ ("restart"),
  isCutOnce: false,
  isOfAgents: false,
};

const OF_AGENTS = { ...ONE_USER, isOfAgents: true };

const SEQUENCE = [["Oslo"], ["Lima"], ["Kyoto"], FINAL_TEXT];

/** @satisfies {Record<string, Scenario>} */
export const SCENARIOS = {
  seq: { ...ONE_USER, turns: SEQUENCE },
  par: { ...ONE_USER, turns: [["Oslo", "Lima"], ["Kyoto", "Quito"], FINAL_TEXT] },
  // The same arguments too: only the result differs.
  poll: { ...ONE_USER, turns: [["Oslo"], ["Oslo"], ["Oslo"], FINAL_TEXT] },
  users: {
    ...ONE_USER,
    users: ["Look up Oslo.", "Now Lima.", "And Kyoto."],
    turns: [["Oslo"], FINAL_TEXT, ["Lima"], FINAL_TEXT, ["Kyoto"], FINAL_TEXT],
  },
  retry: { ...ONE_USER, turns: SEQUENCE, isRefusedOnce: true },
  gzip: { ...ONE_USER, turns: SEQUENCE, isCompressed: true },
  json: { ...ONE_USER, isCompressed: true, isStreamed: false, turns: SEQUENCE },
  split: {
    ...ONE_USER,
    isSplit: true,
    turns: [["Oslo"], ["Lima", "Kyoto"], FINAL_TEXT],
  },
  // A session as agents have them: sixteen turns.
  long: {
    ...OF_AGENTS,
    turns: [...Array.from({ length: 16 }, (_, n) => [`City${n}`]), FINAL_TEXT],
  },
  twin: { ...OF_AGENTS, ids: "same", turns: [["Oslo", "Lima"], FINAL_TEXT] },
  noid: { ...OF_AGENTS, ids: "none", turns: [["Oslo"], ["Lima"], FINAL_TEXT] },
  cut: { ...OF_AGENTS, isCutOnce: true, turns: SEQUENCE },
};

/** @typedef {keyof typeof SCENARIOS} ScenarioName */

/** @typedef {{ name: string, input: Record<string, string> }} Asked */

/**
 * A call that the model makes, and the text that its result has to have.
 *
 * @typedef {Asked & { result: string }} ScriptedCall
 */

/** @param {string} city @returns {Asked} */
export const asksTool = (city) => ({ name: TOOL.name, input: { city } });

/**
 * @param {Turn[]} turns
 * @param {(city: string) => Asked} asks how a client is asked, which has a tool of its own
 * @returns {(ScriptedCall[] | string)[]}
 */
export function scriptOf(turns, asks) {
  const lookUp = createTool([]);
  return turns.map((turn) =>
    typeof turn === "string"
      ? turn
      : turn.map((city) => Object.assign(asks(city), { result: lookUp(city) })),
  );
}

/**
 * @param {string[]} ran takes the cities that were looked up
 * @returns {(city: string) => string} the tool: no two of its results are alike
 */
export function createTool(ran) {
  return (city) => {
    ran.push(city);
    return `${city} report ${ran.filter((other) => other === city).length}`;
  };
}
