import { dockerEngineAnswers } from './docker-engine.js';

/**
 * Starts a container of the image that the variable names, or else of the default, where Docker answers.
 * @returns undefined when there is no engine, or it cannot start the default image
 * @throws Error when the variable asks for an image that does not start
 */
export async function fromDockerImage<Server>(
  variable: string,
  defaultImage: string,
  start: (image: string) => Promise<Server>,
): Promise<Server | undefined> {
  const image = process.env[variable];
  if (await dockerEngineAnswers()) {
    try {
      return await start(image ?? defaultImage);
    } catch (cause) {
      // An engine that cannot fetch the image is as good as none, unless that very image is to be tested.
      if (image) throw new Error(`Docker answers, but ${image} does not start.`, { cause });
    }
  } else if (image) {
    throw new Error(`${variable} asks for ${image}, but no Docker engine answers. Start one, or unset it.`);
  }
  return undefined;
}
