import { Problem } from '@rowlock/app-shared/web';
import express, { type Request, type RequestHandler, type Router } from 'express';

/** Reads a JSON body of at most 1 MB into `req.body`. No body at all leaves it undefined. */
export function jsonBody(): Router {
  return express.Router().use(requireJson, express.json({ limit: '1mb', reviver: refusePrototype }));
}

const requireJson: RequestHandler = (req, _res, next) => {
  if (hasBody(req) && !req.is('application/json')) {
    throw new Problem(415, 'Send the body as JSON, with "Content-Type: application/json".');
  }
  next();
};

/** `req.is` takes `Content-Length: 0`, which browsers send with every POST, for a body. */
function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** JSON may name a member `__proto__`; copied without care it would become the object's prototype. */
function refusePrototype(name: string, value: unknown): unknown {
  if (name === '__proto__') throw new SyntaxError('a member must not be named __proto__');
  return value;
}
