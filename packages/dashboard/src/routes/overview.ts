import type { OverviewView } from '../views.js';
import type { Call } from './route.js';

export async function overview({ looks }: Call): Promise<OverviewView> {
  return looks.overview.get();
}
