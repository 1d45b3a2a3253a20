import { createRowlock, defineHandler } from '@rowlock/core';
import { postgres } from '@rowlock/driver-postgres';
import { freshDatabase, postgresForTests } from '@rowlock/servers';
import pg from 'pg';
const server = await postgresForTests({ fsync: true });
const { url } = await freshDatabase(server.url);
const rowlock = createRowlock({ driver: postgres({ connectionString: url }), handlers: [defineHandler({kind:'noop',payload:{'~standard':{version:1,vendor:'x',validate:(value)=>({value})}},run(){}})] });
await rowlock.migrate(); await rowlock.close();
const c = new pg.Client(url); await c.connect();
const N=100000, B=500;
await c.query(`CREATE TABLE rowlock.run2 (process_id uuid NOT NULL, job_id bigint NOT NULL, worker_id integer NOT NULL, started_at timestamptz NOT NULL DEFAULT clock_timestamp(), finished_at timestamptz, outcome text, error jsonb, progress jsonb, PRIMARY KEY (job_id, process_id), CONSTRAINT run_finished CHECK ((finished_at IS NOT NULL) = (outcome IS NOT NULL)))`);
const claim=`SELECT id FROM rowlock.job WHERE queue='default' AND status='new' AND due AND available_at <= statement_timestamp() AND (priority,id) > ($1,$2) AND kind = ANY($3) AND (key IS NULL OR key <> ALL($4)) ORDER BY priority,id LIMIT ${B} FOR NO KEY UPDATE SKIP LOCKED`;
const settleJob=`UPDATE rowlock.job AS job SET status=ending.status, process_id=ending.p, attempt=ending.attempt, crashes=0, output=NULL,error=NULL, due=CASE ending.status WHEN 'new' THEN true ELSE job.due END, available_at = CASE ending.status WHEN 'new' THEN clock_timestamp() ELSE job.available_at END, started_at=clock_timestamp(), started_by='x', finished_at=clock_timestamp(), finished_by='x' FROM unnest($1::bigint[],$2::uuid[],$3::text[],$4::int[]) AS ending(id,p,status,attempt) WHERE job.id=ending.id AND job.status='new' RETURNING job.id`;
const settleBoth=`WITH ending AS (SELECT * FROM unnest($1::bigint[],$2::uuid[],$3::text[],$4::int[]) AS ending(id,p,status,attempt)), settled AS (UPDATE rowlock.job AS job SET status=ending.status, process_id=ending.p, attempt=ending.attempt, crashes=0, output=NULL,error=NULL, due=CASE ending.status WHEN 'new' THEN true ELSE job.due END, available_at = CASE ending.status WHEN 'new' THEN clock_timestamp() ELSE job.available_at END, started_at=clock_timestamp(), started_by='x', finished_at=clock_timestamp(), finished_by='x' FROM ending WHERE job.id=ending.id AND job.status='new' RETURNING job.id), ended AS (UPDATE rowlock.run AS run SET finished_at=clock_timestamp(), outcome=ending.status FROM ending JOIN settled USING(id) WHERE run.process_id=ending.p AND run.job_id=ending.id) SELECT id FROM settled`;
const start1=`WITH crashed AS (UPDATE rowlock.run SET finished_at=clock_timestamp(), outcome='reclaim' WHERE job_id = ANY($2) AND finished_at IS NULL RETURNING job_id), started AS (INSERT INTO rowlock.run(process_id,job_id,worker_id) SELECT p,j,1 FROM unnest($1::uuid[],$2::bigint[]) AS x(p,j)) SELECT id, count(run.job_id) AS earlier FROM unnest($2::bigint[]) AS id LEFT JOIN rowlock.run AS run ON run.job_id=id GROUP BY id`;
const start2=`WITH earlier AS MATERIALIZED (SELECT job_id, process_id, finished_at, outcome FROM rowlock.run2 WHERE job_id = ANY($2)), crashed AS (UPDATE rowlock.run2 AS run SET finished_at=clock_timestamp(), outcome='reclaim' FROM earlier WHERE earlier.finished_at IS NULL AND run.job_id=earlier.job_id AND run.process_id=earlier.process_id), started AS (INSERT INTO rowlock.run2(process_id,job_id,worker_id) SELECT p,j,1 FROM unnest($1::uuid[],$2::bigint[]) AS x(p,j)) SELECT job_id, count(*) FROM earlier GROUP BY job_id`;
import { randomUUID } from 'node:crypto';
const modes={ none:[null,settleJob], today:[start1,settleBoth], pk:[start2,settleJob], half:[start2.replaceAll('run2','run'),settleJob]};
for (let round=0;round<3;round++) for (const [name,[start,settle]] of Object.entries(modes)) {
  await c.query('TRUNCATE rowlock.job, rowlock.run, rowlock.run2');
  await c.query(`INSERT INTO rowlock.job(kind) SELECT 'noop' FROM generate_series(1,${N})`);
  await c.query('CHECKPOINT');
  const lsn=(await c.query('select pg_current_wal_lsn() l')).rows[0].l;
  const began=performance.now(); let line=0n; let n=0; const spent={};
  const timed=async(k,p)=>{const b=performance.now(); const r=await p; spent[k]=(spent[k]??0)+performance.now()-b; return r;};
  for(;;){ await c.query('BEGIN'); const {rows}=await timed('claim',c.query({name:'claim',text:claim,values:[-32768,String(line),['noop'],[]]})); if(rows.length===0){await c.query('ROLLBACK');break;}
    line=rows.at(-1).id; const ids=rows.map(r=>r.id), ps=rows.map(()=>randomUUID());
    if(start) await timed('start',c.query({name:name+'start',text:start,values:[ps,ids]}));
    await timed('settle',c.query({name:name+'settle',text:settle,values:[ids,ps,ids.map(()=>'complete'),ids.map(()=>1)]}));
    await timed('commit',c.query('COMMIT')); n+=rows.length; }
  const ms=performance.now()-began;
  const wal=(await c.query('select pg_wal_lsn_diff(pg_current_wal_lsn(),$1) w',[lsn])).rows[0].w;
  console.log(name, Math.round(n/ms*1000),'jobs/s', 'wal/job',Math.round(wal/n), Object.fromEntries(Object.entries(spent).map(([k,v])=>[k,(v*1000/n).toFixed(1)+'us'])));
}
await c.end(); await server.stop();
