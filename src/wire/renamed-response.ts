/**
 * A response with another body, and everything else as it was. The platform's constructor takes no
 * `url`, and a copy would be a plain response again.
 */
export class RenamedResponse extends Response {
  #original: Response;

  /** @param original its body is not used any more */
  constructor(body: ReadableStream<Uint8Array> | null, original: Response) {
    const { status, statusText } = original;
    const headers = new Headers(original.headers);
    // The platform has decoded the body, whose length is another one now.
    headers.delete("content-encoding");
    headers.delete("content-length");
    super(body as BodyInit | null, { status, statusText, headers });
    this.#original = original;
  }

  override get url(): string {
    return this.#original.url;
  }

  override get redirected(): boolean {
    return this.#original.redirected;
  }

  override get type(): ResponseType {
    return this.#original.type;
  }

  override clone(): Response {
    return new RenamedResponse(super.clone().body, this);
  }
}
