/** The parts of a response. */
interface Parts {
  /** Everything but its body. */
  readonly facts: Response;
  /** Kept alive: Node before 24 cancels the body of a response that was garbage-collected. */
  readonly owner: Response;
}

type RenamedResponseClass = new (body: ReadableStream<Uint8Array> | null, parts: Parts) => Response;

/** Made when the first response comes: Node loads its whole fetch where a module extends `Response`. */
let RenamedResponse: RenamedResponseClass | undefined;

/**
 * A response with another body, and everything else as it was. The platform's constructor takes no
 * `url`, and a copy would be a plain response again.
 */
export function renamedResponse(body: ReadableStream<Uint8Array>, response: Response): Response {
  RenamedResponse ??= createClass();
  return new RenamedResponse(body, { facts: response, owner: response });
}

function createClass(): RenamedResponseClass {
  return class Renamed extends Response {
    #parts: Parts;

    constructor(body: ReadableStream<Uint8Array> | null, parts: Parts) {
      const { status, statusText, headers: before } = parts.facts;
      const headers = new Headers(before);
      // The platform has decoded the body, so its length is another one now.
      headers.delete("content-encoding");
      headers.delete("content-length");
      super(body as BodyInit | null, { status, statusText, headers });
      this.#parts = parts;
    }

    override get url(): string {
      return this.#parts.facts.url;
    }

    override get redirected(): boolean {
      return this.#parts.facts.redirected;
    }

    override get type(): ResponseType {
      return this.#parts.facts.type;
    }

    override clone(): Response {
      const owner = super.clone();
      return new Renamed(owner.body, { facts: this.#parts.facts, owner });
    }
  };
}
