const LOOK_MS = 3_000;
const SELDOM_MS = 15_000;

/** Every look of the dashboard's page, by its address. @param job The public id of a job that waits */
export function pathsOf({ job, settledFrom, cursor }) {
  const lists = [
    ['newest', ''],
    ['of a queue', 'queue=queue-7'],
    ['of a kind', 'kind=kind-7'],
    ['of a key', 'key=key-70'],
    ['new', 'status=new'],
    ['new, of a queue', 'queue=queue-7&status=new'],
    ['in progress', 'status=in-progress'],
    ['in progress, of a queue', 'queue=busy&status=in-progress'],
    ['complete', 'status=complete'],
    ['failed', 'status=error'],
    ['cancelled', 'status=cancelled'],
    ['new and in progress', 'status=new&status=in-progress'],
    ['by an error code', 'status=error&error-code=ETIMEDOUT'],
    ['by an error text', 'status=error&error-text=host%204'],
    ['by a payload', 'payload=%7B%22customer%22%3A7%7D'],
    ['settled since a time', `settled-from=${settledFrom}`],
    ['to find nothing', 'kind=none'],
  ];
  const oldest = [
    ['first', ''],
    ['of a queue', 'queue=queue-7'],
    ['of a key', 'key=key-70'],
    ['new', 'status=new'],
    ['new, of a queue', 'queue=queue-7&status=new'],
    ['failed', 'status=error'],
    ['by an error text', 'status=error&error-text=host%204'],
    ['created since a time', `created-from=${settledFrom}`],
    ['to find nothing', 'kind=none'],
  ];
  return [
    ['overview, workers', 'overview'],
    ['limits', 'limits'],
    ['schedules', 'schedules'],
    ['the ticks of a schedule', 'schedules/ticks?name=schedule-7'],
    ['the next ticks of a schedule', 'schedules/preview?name=schedule-7'],
    ['errors', 'errors'],
    ['errors of a kind', 'errors?kind=kind-1'],
    ['events', 'events'],
    ['captures', 'captures'],
    ['audit', 'audit'],
    ['audit, a later page', `audit?cursor=${cursor}`],
    ['audit of an operator', 'audit?by=operator-7'],
    ['audit of a queue', 'audit?scope=queue&name=queue-7'],
    ['audit to find nothing', 'audit?by=nobody'],
    ['latest runs', 'runs?limit=200'],
    ['latest runs, a later page', `runs?limit=200&before=${settledFrom}`],
    ['latest runs of a queue', 'runs?queue=queue-7&limit=200'],
    ['latest runs that have crashed', 'runs?outcome=crashed&limit=200'],
    ['an hour of runs to replay', `runs?queue=queue-7&from=${settledFrom}&limit=5000`],
    ['an hour of numbers', 'trend?last=1h'],
    ['a day of numbers', 'trend?last=24h'],
    ['a day of a kind', 'trend?last=24h&kind=kind-7'],
    ['a week of numbers', 'trend?last=7d'],
    ['a week of a queue', 'trend?last=7d&queue=queue-7'],
    ['a week of a kind', 'trend?last=7d&kind=kind-7'],
    ['kinds', 'kinds'],
    ['a job', `job?id=${job}`],
    ['picture of 1,000 jobs', 'picture?queue=queue-7&limit=1000'],
    ['picture of 10,000 jobs', 'picture?queue=queue-7&limit=10000'],
    ...lists.map(([title, query]) => [`jobs ${title}`, `jobs?${query}`]),
    ...oldest.map(([title, query]) => [`oldest jobs ${title}`, `jobs?order=oldest&${query}`]),
    ...lists.map(([title, query]) => [`number of jobs ${title}`, `jobs/count?${query}`]),
  ].map(([title, path]) => ({ title, path }));
}

/** What ten open pages look at, and how long each waits after an answer, in milliseconds: as the page itself does. */
export function openPages({ job }) {
  const jobs = (query) => [look(`jobs?${query}`), look(`jobs/count?${query}`, SELDOM_MS)];
  const overview = [look('overview')];
  return [
    overview,
    overview,
    overview,
    [look('limits'), ...overview],
    jobs(''),
    jobs('status=new'),
    jobs('status=in-progress'),
    [look('errors', SELDOM_MS)],
    [look(`job?id=${job}`)],
    [look('picture?queue=queue-7&limit=1000')],
  ];
}

function look(path, everyMs = LOOK_MS) {
  return { path, everyMs };
}
