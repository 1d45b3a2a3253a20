import { rowlock } from '../../../jobs/rowlock.ts';
import { Welcome } from '../../../jobs/welcome.ts';

/**
 * A request enqueues a job, and a worker runs it: `POST /api/welcome?name=Ada`.
 * How Next bundles it, and how it enqueues in a transaction: https://github.com/rowlock/rowlock/blob/main/docs/use/frameworks.md
 */
export const POST = async (request: Request) => {
  const name = new URL(request.url).searchParams.get('name') ?? '';
  const { publicId } = await rowlock.enqueue(Welcome, { payload: { name } });
  return Response.json({ job: publicId }, { status: 202 });
};
