import express, { type Router } from 'express';
import type { PictureStreams } from '../picture/picture-streams.js';
import { userOf } from '../user.js';

/** The lock picture, live. */
export function pictureRoutes(streams: PictureStreams): Router {
  const routes = express.Router();
  routes.get('/picture', (_req, res) => streams.open(userOf(res), res));
  return routes;
}
