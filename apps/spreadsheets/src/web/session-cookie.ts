import type { CookieOptions, Response } from 'express';

/** The cookie in which the page's token is kept, out of reach of scripts. */
export class SessionCookie {
  readonly #name: string;
  readonly #options: CookieOptions;

  constructor(publicUrl: string) {
    const { protocol, port } = new URL(publicUrl);
    const secure = protocol === 'https:';
    // Browsers send a host's cookies to all of its ports, where somebody else may listen, such as a second demo.
    const name = port === '' ? 'session' : `session-${port}`;
    // The prefix makes browsers refuse the cookie from anywhere but this very host over TLS.
    this.#name = secure ? `__Host-${name}` : name;
    // Lax and not Strict: the link inside a sheet comes from another site, and only shows a page.
    this.#options = { httpOnly: true, sameSite: 'lax', path: '/', secure };
  }

  read(header: string | undefined): string | undefined {
    const prefix = `${this.#name}=`;
    const pair = header?.split(';').find((each) => each.trim().startsWith(prefix));
    return pair?.trim().slice(prefix.length);
  }

  write(res: Response, token: string, until: Date): void {
    res.cookie(this.#name, token, { ...this.#options, expires: until });
  }

  clear(res: Response): void {
    res.clearCookie(this.#name, this.#options);
  }
}
