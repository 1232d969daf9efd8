// @ts-check

/**
 * @import { WriteStream } from "node:tty"
 * @import { ChatAssistantMessage, ChatStreamEvent, ChatToolMessage } from "toolcall-stream"
 *
 * @typedef {{ role: "user", content: string }} UserMessage
 * @typedef {UserMessage | ChatAssistantMessage | ChatToolMessage} Message
 *
 * @typedef {object} Row
 * @property {string} key what it is about: a piece with another key starts another row
 * @property {string} label
 * @property {number} first the number of its first event
 * @property {number} last
 * @property {string[]} pieces
 * @property {string} separator
 */

const BOLD = 1;
const DIM = 2;
/** One for each call, so that the eye finds the pairs. */
const CALL_COLORS = [36, 35, 33, 32];

const FIRST_COLUMN = 13;
const SECOND_COLUMN = 11;
/** A row that grows is drawn over itself, which works only while it fits into a line. */
const MAX_WIDTH = 79;

/**
 * Shows a conversation. In a terminal, a row grows while its fragments arrive; in a pipe, the same
 * row comes once it is whole, without any control code.
 */
export class Screen {
  #out;
  #hasColor;
  #isLive;
  /** The number of the latest event of the response. */
  #number = 0;
  /** How many calls of the response have their result. */
  #resultCount = 0;
  /** The row that still grows. @type {Row | undefined} */
  #row;
  /** The calls so far, by their fresh ids. @type {Map<string, { name: string, color: number }>} */
  #calls = new Map();

  /** @param {Pick<WriteStream, "write"> & Partial<WriteStream>} out */
  constructor(out) {
    const { NO_COLOR, TERM } = process.env;
    this.#out = out;
    this.#hasColor = out.isTTY === true && !NO_COLOR && TERM !== "dumb";
    this.#isLive = this.#hasColor && (out.columns ?? 0) > MAX_WIDTH;
  }

  /**
   * @param {string} title
   * @param {string} text
   */
  title(title, text) {
    this.#resultCount = 0;
    this.#print("");
    this.#print(this.#paint(BOLD, title.padEnd(FIRST_COLUMN)) + text);
  }

  /**
   * @param {string} label
   * @param {string} text
   */
  line(label, text) {
    this.#print(this.#paint(DIM, label.padEnd(FIRST_COLUMN)) + text);
  }

  /**
   * Shows what an event of the response says.
   *
   * @param {ChatStreamEvent} event
   * @param {number} number
   */
  event(event, number) {
    this.#number = number;
    switch (event.type) {
      case "reasoning":
      case "text":
        this.#grow(event.type, event.type, event.text);
        break;
      case "tool-call-start": {
        const { id, name } = event;
        const color = CALL_COLORS[this.#calls.size % CALL_COLORS.length] ?? BOLD;
        this.#calls.set(id, { name, color });
        this.#grow(id, name, "");
        break;
      }
      case "tool-call-delta":
        this.#grow(event.id, this.#calls.get(event.id)?.name ?? "", event.fragment);
        break;
      case "tool-call":
        this.#fact(event.call.status, `${event.call.providerId} → ${this.#id(event.call.id)}`);
        break;
      case "finish":
        this.#fact("finish", event.reason + this.#readiness());
        break;
      case "diagnostic":
        this.#fact(event.diagnostic.severity, event.diagnostic.message);
        break;
    }
  }

  /** @param {ChatToolMessage} result */
  result({ content }) {
    this.#resultCount += 1;
    this.#fact("result", `${content}`);
  }

  /** @param {readonly Message[]} messages */
  history(messages) {
    for (const message of messages) {
      if (message.role === "user") {
        this.line("user", message.content);
      } else if (message.role === "tool") {
        this.line("tool", `${this.#id(message.tool_call_id)}  ${message.content}`);
      } else {
        this.line("assistant", `reasoning: ${message.reasoning}`);
        for (const call of message.tool_calls ?? []) {
          const { name } = call.type === "function" ? call.function : call.custom;
          this.line("", `${this.#id(call.id)}  ${name}`);
        }
      }
    }
  }

  /** Ends the row that still grows, if there is one. */
  close() {
    const row = this.#row;
    this.#row = undefined;
    if (row !== undefined) this.#out.write(this.#isLive ? "\n" : `${this.#draw(row)}\n`);
  }

  /**
   * Adds a piece to the row of its key.
   *
   * @param {string} key
   * @param {string} label
   * @param {string} piece
   */
  #grow(key, label, piece) {
    let row = this.#row;
    if (row?.key !== key || widthOf(row) + piece.length >= MAX_WIDTH) {
      this.close();
      // Text is there to be read; of arguments one wants to see where they were cut.
      const separator = this.#calls.has(key) ? "|" : "";
      row = { key, label, first: this.#number, last: this.#number, pieces: [], separator };
    }
    row.last = this.#number;
    if (piece !== "") row.pieces.push(piece);
    this.#row = row;
    if (this.#isLive) this.#out.write(`\r\x1b[K${this.#draw(row)}`);
  }

  /** @param {Row} row */
  #draw({ key, label, first, last, pieces, separator }) {
    const color = this.#calls.get(key)?.color ?? DIM;
    const events = first === last ? `event ${first}` : `event ${first}-${last}`;
    const start = this.#paint(DIM, events.padEnd(FIRST_COLUMN));
    const text = pieces.join(this.#paint(DIM, separator)).trimEnd();
    return start + this.#paint(color, label.padEnd(SECOND_COLUMN)) + text;
  }

  /**
   * A row that is whole from the start.
   *
   * @param {string} label
   * @param {string} text
   */
  #fact(label, text) {
    this.line(`event ${this.#number}`, this.#paint(DIM, label.padEnd(SECOND_COLUMN)) + text);
  }

  /** A result that is here when the response ends was computed while it still streamed. */
  #readiness() {
    return this.#resultCount === 0 ? "" : `, and ${this.#resultCount} results are here already`;
  }

  /** An id in the color of its call. @param {string} id */
  #id(id) {
    return this.#paint(this.#calls.get(id)?.color ?? DIM, id);
  }

  /**
   * @param {number} code
   * @param {string} text
   */
  #paint(code, text) {
    return this.#hasColor && text !== "" ? `\x1b[${code}m${text}\x1b[0m` : text;
  }

  /** @param {string} text */
  #print(text) {
    this.close();
    this.#out.write(`${text}\n`);
  }
}

/** @param {Row} row */
function widthOf({ pieces, separator }) {
  return FIRST_COLUMN + SECOND_COLUMN + pieces.join(separator).length;
}
