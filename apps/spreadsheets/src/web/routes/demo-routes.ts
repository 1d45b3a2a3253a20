import express, { type Router } from 'express';
import { type DemoIssuer, DemoSignIn } from '../demo-issuer.js';
import { jsonBody } from '../json-body.js';
import { parseBody } from '../parse-body.js';

/** The demo's own identity provider: a token for a name, and the keys to check it with. */
export function demoRoutes(issuer: DemoIssuer): Router {
  const routes = express.Router();
  routes.get('/demo/jwks.json', (_req, res) => {
    res.json(issuer.jwks);
  });
  routes.post(
    '/demo/token',
    express.urlencoded({ extended: false, limit: '1kb' }),
    jsonBodyUnlessForm(),
    async (req, res) => {
      const { name } = parseBody(DemoSignIn, req.body);
      res.json(await issuer.issue(name));
    },
  );
  return routes;
}

/** `curl -d name=ada` sends a form. */
function jsonBodyUnlessForm(): Router {
  const json = jsonBody();
  return express.Router().use((req, res, next) => {
    if (req.is('application/x-www-form-urlencoded')) next();
    else json(req, res, next);
  });
}
