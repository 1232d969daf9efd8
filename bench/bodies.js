// @ts-check

import { EVENTS_OF } from "./dialects.js";

/**
 * Response bodies, and ways to cut them into chunks. Everything follows from fixed seeds, so that
 * the bytes are the same on every machine.
 */

/** @typedef {{ id: string, name: string, arguments: string }} ExpectedCall */
/** @typedef {{ events: string[], calls: ExpectedCall[], text: string, dialect: DialectName }} Body */
/** @typedef {keyof typeof EVENTS_OF} DialectName */
/** @typedef {() => number} Random a number from 0 up to 1 */

const KB = 1024;
const MB = 1024 * KB;

/** What a model sends as one token, roughly: four characters on average. */
const TOKEN = / ?[\p{L}\p{N}]{1,6}|[^\p{L}\p{N}\s]{1,3}|\s+/gu;

const CODE_WORDS =
  "value items result stream chunk parser event delta call path name error state index total".split(
    " ",
  );
const PROSE_WORDS =
  "the file is read first and then written again with every line that was asked for kept in it so nothing else changes".split(
    " ",
  );

const ALPHANUMERIC = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Each body with the path that it takes through the library, in a dialect. */
export const BODIES = {
  /** What most responses are: reasoning, text, two calls of ordinary size; about 500 events. */
  typical: (/** @type {DialectName} */ dialect = "chat") => {
    const random = seeded(1);
    return makeBody(random, dialect, {
      reasoning: prose(150, random),
      content: prose(150, random),
      calls: [writeFile(400, random), writeFile(400, random)],
    });
  },
  /** An agent that writes a file: one long call, appended to and scanned some 50,000 times. */
  agent: (/** @type {DialectName} */ dialect = "chat") => {
    const random = seeded(2);
    const calls = [writeFile(200 * KB, random)];
    return makeBody(random, dialect, { content: prose(20, random), calls });
  },
  /** No call at all: what a chat costs that only might have called something. */
  content: (/** @type {DialectName} */ dialect = "chat") => {
    const random = seeded(4);
    return makeBody(random, dialect, { content: prose(20_000, random) });
  },
};

/** Bodies that only Chat Completions has. */
export const CHAT_BODIES = {
  /** The agent with the field of random length that OpenAI adds to each event. */
  obfuscation: () => paddedAgent("obfuscation"),
  /** The same with that of Mistral. */
  p: () => paddedAgent("p"),
  /** 64 calls whose fragments alternate: a look-up per event. */
  parallel: () => {
    const random = seeded(3);
    const calls = Array.from({ length: 64 }, () => writeFile(2 * KB, random));
    return makeBody(random, "chat", { calls, isInterleaved: true });
  },
  /** 2 MB of arguments in one event, as servers send that do not stream arguments. */
  giant: () => {
    const random = seeded(5);
    return makeBody(random, "chat", { calls: [writeFile(2 * MB, random)], isWhole: true });
  },
};

/** @param {"obfuscation" | "p"} padding */
function paddedAgent(padding) {
  const random = seeded(2);
  const calls = [writeFile(200 * KB, random)];
  return makeBody(random, "chat", { content: prose(20, random), calls, padding });
}

/** A response of 2,000 tokens, as a process reads it first. */
export function firstBody(/** @type {DialectName} */ dialect) {
  const random = seeded(8);
  const calls = [writeFile(4 * KB, random)];
  return makeBody(random, dialect, { content: prose(1000, random), calls });
}

/**
 * One call with so many characters of arguments.
 *
 * @param {number} length
 * @param {boolean} isWhole in one event instead of one per token
 * @returns {Body}
 */
export function bodyOfLength(length, isWhole = false) {
  const random = seeded(6);
  return makeBody(random, "chat", { calls: [writeFile(length, random)], isWhole });
}

/** @type {Record<string, (events: string[]) => Uint8Array[]>} */
export const CHUNKINGS = {
  /** What a server sends at a time, when the network keeps up. */
  event: (events) => events.map((event) => new TextEncoder().encode(event)),
  /** About the payload of a TCP segment on Ethernet. */
  "1.4 KB": (events) => cut(events, () => 1400),
  /** What a proxy buffers, or a fast connection gives at a time. */
  "64 KB": (events) => cut(events, () => 64 * KB),
  /** No network does this; it shows the cost of a chunk. */
  "1-17 B": (events) => {
    const random = seeded(7);
    return cut(events, () => 1 + Math.floor(random() * 17));
  },
};

/**
 * @param {string[]} events
 * @param {() => number} nextSize
 */
function cut(events, nextSize) {
  const bytes = new TextEncoder().encode(events.join(""));
  const chunks = [];
  for (let start = 0; start < bytes.length;) {
    const end = start + nextSize();
    // A copy, since the chunks of a network do not share a buffer either.
    chunks.push(bytes.slice(start, end));
    start = end;
  }
  return chunks;
}

/**
 * @param {Random} random
 * @param {DialectName} dialect
 * @param {{
 *   reasoning?: string,
 *   content?: string,
 *   calls?: { name: string, arguments: string }[],
 *   isWhole?: boolean,
 *   isInterleaved?: boolean,
 *   padding?: "obfuscation" | "p",
 * }} parts
 * @returns {Body}
 */
function makeBody(random, dialect, { reasoning = "", content = "", calls = [], isWhole, ...how }) {
  const chance = {
    id: (/** @type {number} */ length) => alphanumeric(length, random),
    below: (/** @type {number} */ limit) => Math.floor(random() * limit),
  };
  const expected = calls.map((call) => ({ id: `call_${alphanumeric(24, random)}`, ...call }));
  const script = {
    reasoning: tokensOf(reasoning),
    content: tokensOf(content),
    calls: expected.map(({ id, name, arguments: text }) => ({
      id,
      name,
      pieces: isWhole ? [text] : tokensOf(text),
    })),
    ...how,
  };
  return { events: EVENTS_OF[dialect](script, chance), calls: expected, text: content, dialect };
}

/** @param {string} text @returns {string[]} */
function tokensOf(text) {
  return text.match(TOKEN) ?? [];
}

/**
 * A call that writes a file of code, with about so many characters of arguments.
 *
 * @param {number} length
 * @param {Random} random
 */
function writeFile(length, random) {
  const path = `src/${pick(CODE_WORDS, random)}/${pick(CODE_WORDS, random)}.ts`;
  const lines = [];
  let depth = 0;
  for (let size = 0; size < length;) {
    const line = codeLine(depth, random);
    depth = Math.max(
      0,
      Math.min(depth + (line.endsWith("{") ? 1 : line.endsWith("}") ? -1 : 0), 5),
    );
    lines.push(line);
    // As JSON: with its quotes, backslashes and line end escaped.
    size += JSON.stringify(line).length;
  }
  const content = lines.join("\n");
  const text = JSON.stringify({
    path,
    overwrite: true,
    mode: 420,
    options: { eol: null },
    content,
  });
  return { name: "write_file", arguments: text };
}

/**
 * Quotes, braces, backslashes, and now and then a character beyond ASCII, or beyond UTF-16's units.
 *
 * @param {number} depth
 * @param {Random} random
 */
function codeLine(depth, random) {
  const word = () => pick(CODE_WORDS, random);
  const indent = "  ".repeat(depth);
  const kind = random();
  if (kind < 0.15) return `${indent}if (${word()}.${word()} === "${word()}") {`;
  if (kind < 0.3 && depth > 0) return `${indent}}`;
  if (kind < 0.5) return `${indent}const ${word()} = ${word()}['${word()}'] ?? "${word()}\\n";`;
  if (kind < 0.7)
    return `${indent}${word()}.${word()}({ ${word()}: [${word()}, 42, "${word()}"] });`;
  if (kind < 0.85)
    return `${indent}return ${word()}(${word()}).${word()} && /\\d+"/.test(${word()});`;
  if (kind < 0.86) return `${indent}// naïve 解析 – 🙂`;
  return `${indent}// ${word()} ${word()} ${word()} ${word()}`;
}

/**
 * So many words.
 *
 * @param {number} count
 * @param {Random} random
 */
function prose(count, random) {
  let text = "";
  for (let position = 0; position < count; position += 1) {
    text += ` ${pick(PROSE_WORDS, random)}`;
    if (random() < 0.02) text += " “é”";
  }
  return text;
}

/**
 * @param {number} length
 * @param {Random} random
 */
function alphanumeric(length, random) {
  return Array.from({ length: Math.floor(length) }, () => pick([...ALPHANUMERIC], random)).join("");
}

/**
 * @template T
 * @param {readonly T[]} list
 * @param {Random} random
 * @returns {T}
 */
function pick(list, random) {
  return /** @type {T} */ (list[Math.floor(random() * list.length)]);
}

/**
 * Mulberry32: small, and good enough for test data.
 *
 * @param {number} seed
 * @returns {Random}
 */
function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
