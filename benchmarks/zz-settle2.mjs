import { createRowlock, defineHandler } from '@rowlock/core';
import { postgres } from '@rowlock/driver-postgres';
import { freshDatabase, postgresForTests } from '@rowlock/servers';
import pg from 'pg';
const server = await postgresForTests({ fsync: true });
const N=60000, B=500;
const set=`SET status=ending.status, process_id=ending.p, attempt=ending.attempt, crashes=ending.crashes, output=ending.output,error=ending.error, due=CASE ending.status WHEN 'new' THEN true ELSE job.due END, available_at = CASE ending.status WHEN 'new' THEN clock_timestamp() ELSE job.available_at END, started_at=clock_timestamp() - ending.took * interval '1 ms', started_by='x', finished_at=clock_timestamp(), finished_by='x'`;
const un=`unnest($1::bigint[],$2::uuid[],$3::text[],$4::int[],$5::int[],$6::jsonb[],$7::jsonb[],$8::float8[]) AS ending(id,p,status,attempt,crashes,output,error,took)`;
const forms={
 any: `UPDATE rowlock.job AS job ${set} FROM ${un} WHERE job.id=ending.id AND job.id = ANY($1) AND job.status='new' RETURNING job.id`,
 anycte: `WITH ending AS MATERIALIZED (SELECT * FROM ${un}) UPDATE rowlock.job AS job ${set} FROM ending WHERE job.id=ending.id AND job.id = ANY($1) AND job.status='new' RETURNING job.id`,
 scalar: `UPDATE rowlock.job AS job SET status='complete', process_id=($2::uuid[])[array_position($1::bigint[], job.id)], attempt=1, crashes=0, output=NULL, error=NULL, started_at=clock_timestamp() - ($3::float8[])[array_position($1::bigint[], job.id)] * interval '1 ms', started_by='x', finished_at=clock_timestamp(), finished_by='x' WHERE job.id= ANY($1) AND job.status='new' RETURNING job.id`,
 simple: `UPDATE rowlock.job AS job SET status='complete', process_id=$2, attempt=1, started_at=clock_timestamp(), started_by='x', finished_at=clock_timestamp(), finished_by='x' WHERE job.id= ANY($1) AND job.status='new' RETURNING job.id`,
};
const claim=`SELECT id FROM rowlock.job WHERE queue='default' AND status='new' AND due AND available_at <= statement_timestamp() AND (priority,id) > ($1,$2) AND kind = ANY($3) AND (key IS NULL OR key <> ALL($4)) ORDER BY priority,id LIMIT ${B} FOR NO KEY UPDATE SKIP LOCKED`;
import { randomUUID } from 'node:crypto';
const { url } = await freshDatabase(server.url);
const rowlock = createRowlock({ driver: postgres({ connectionString: url }), handlers: [defineHandler({kind:'noop',payload:{'~standard':{version:1,vendor:'x',validate:(value)=>({value})}},run(){}})] });
await rowlock.migrate(); await rowlock.close();
const c = new pg.Client(url); await c.connect();
for (let round=0;round<4;round++) for (const [name,text] of Object.entries(forms)) {
  await c.query('TRUNCATE rowlock.job'); if(round===3) await c.query(`INSERT INTO rowlock.job(kind,status,process_id,finished_at) SELECT 'noop','complete',gen_random_uuid(),now() FROM generate_series(1,300000)`);
  await c.query(`INSERT INTO rowlock.job(kind) SELECT 'noop' FROM generate_series(1,${N})`);
  await c.query('CHECKPOINT');
  let line=0n; let n=0; const spent={};let first=true;
  const timed=async(k,p)=>{const b=performance.now(); const r=await p; spent[k]=(spent[k]??0)+performance.now()-b; return r;};
  for(;;){ await c.query('BEGIN'); const {rows}=await timed('claim',c.query({text:claim,values:[-32768,String(line),['noop'],[]]})); if(rows.length===0){await c.query('ROLLBACK');break;}
    line=rows.at(-1).id; const ids=rows.map(r=>r.id); const ps=rows.map(()=>randomUUID());
    const values= name==='simple'?[ids,ps[0]]: name==='scalar'?[ids,ps,ids.map(()=>0.1)]:[ids,ps,ids.map(()=>'complete'),ids.map(()=>1),ids.map(()=>0),ids.map(()=>null),ids.map(()=>null),ids.map(()=>0.1)];
    if(first&&round===0){first=false; await c.query('SAVEPOINT a'); console.log((await c.query('EXPLAIN '+text,values)).rows.map(r=>r['QUERY PLAN']).join('\n'));await c.query('ROLLBACK TO a');}
    await timed('settle',c.query({text,values}));
    await timed('commit',c.query('COMMIT')); n+=rows.length; }
  console.log(round,name.padEnd(12), Object.fromEntries(Object.entries(spent).map(([k,v])=>[k,(v*1000/n).toFixed(1)+'us'])));
}
await c.end(); await server.stop();
