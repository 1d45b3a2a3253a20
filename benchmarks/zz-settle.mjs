import { createRowlock, defineHandler } from '@rowlock/core';
import { postgres } from '@rowlock/driver-postgres';
import { freshDatabase, postgresForTests } from '@rowlock/servers';
import pg from 'pg';
const server = await postgresForTests({ fsync: true });
const N=60000, B=500;
const variants={
 base:[],
 v7:['ALTER TABLE rowlock.job ALTER public_id SET DEFAULT uuidv7()'],
 nopublic:['ALTER TABLE rowlock.job DROP CONSTRAINT job_public_id_key'],
 nochecks:['status','finished','in_progress','error','attempts','unique_scope','lengths','metadata'].map(n=>`ALTER TABLE rowlock.job DROP CONSTRAINT job_${n}`),
 nopartials:['later','leased','outstanding','settled','unique'].map(n=>`DROP INDEX rowlock.job_${n}`),
 v7nochecks:['ALTER TABLE rowlock.job ALTER public_id SET DEFAULT uuidv7()',...['status','finished','in_progress','error','attempts','unique_scope','lengths','metadata'].map(n=>`ALTER TABLE rowlock.job DROP CONSTRAINT job_${n}`)],
 ff:['ALTER TABLE rowlock.job SET (fillfactor=50)'],
 hot:['claim','later','leased','outstanding','settled','unique'].map(n=>`DROP INDEX rowlock.job_${n}`).concat(['ALTER TABLE rowlock.job SET (fillfactor=45)','CREATE INDEX jc ON rowlock.job(queue,priority,id)']),
};
const simple=`UPDATE rowlock.job AS job SET status='complete', process_id=$2, attempt=1, started_at=clock_timestamp(), started_by='x', finished_at=clock_timestamp(), finished_by='x' WHERE job.id= ANY($1) AND job.status='new' RETURNING job.id`;
const settleJob=`UPDATE rowlock.job AS job SET status=ending.status, process_id=ending.p, attempt=ending.attempt, crashes=0, output=NULL,error=NULL, due=CASE ending.status WHEN 'new' THEN true ELSE job.due END, available_at = CASE ending.status WHEN 'new' THEN clock_timestamp() ELSE job.available_at END, started_at=clock_timestamp(), started_by='x', finished_at=clock_timestamp(), finished_by='x' FROM unnest($1::bigint[],$2::uuid[],$3::text[],$4::int[]) AS ending(id,p,status,attempt) WHERE job.id=ending.id AND job.status='new' RETURNING job.id`;
const claim=`SELECT id FROM rowlock.job WHERE queue='default' AND status='new' AND due AND available_at <= statement_timestamp() AND (priority,id) > ($1,$2) AND kind = ANY($3) AND (key IS NULL OR key <> ALL($4)) ORDER BY priority,id LIMIT ${B} FOR NO KEY UPDATE SKIP LOCKED`;
import { randomUUID } from 'node:crypto';
const dbs={};
for (const [name,ddl] of Object.entries(variants)) {
  const { url } = await freshDatabase(server.url);
  const rowlock = createRowlock({ driver: postgres({ connectionString: url }), handlers: [defineHandler({kind:'noop',payload:{'~standard':{version:1,vendor:'x',validate:(value)=>({value})}},run(){}})] });
  await rowlock.migrate(); await rowlock.close();
  const c = new pg.Client(url); await c.connect(); for(const d of ddl) await c.query(d); dbs[name]=c;
}
for (let round=0;round<3;round++) for (const [name,c] of Object.entries(dbs)) for (const kind of ['unnest','simple']) {
  await c.query('TRUNCATE rowlock.job');
  const ib=performance.now();
  await c.query(`INSERT INTO rowlock.job(kind) SELECT 'noop' FROM generate_series(1,${N})`);
  const ins=(performance.now()-ib)*1000/N;
  await c.query('CHECKPOINT');
  const lsn=(await c.query('select pg_current_wal_lsn() l')).rows[0].l;
  const began=performance.now(); let line=0n; let n=0; const spent={};
  const timed=async(k,p)=>{const b=performance.now(); const r=await p; spent[k]=(spent[k]??0)+performance.now()-b; return r;};
  for(;;){ await c.query('BEGIN'); const {rows}=await timed('claim',c.query({text:claim,values:[-32768,String(line),['noop'],[]]})); if(rows.length===0){await c.query('ROLLBACK');break;}
    line=rows.at(-1).id; const ids=rows.map(r=>r.id);
    if(kind==='simple') await timed('settle',c.query({text:simple,values:[ids,randomUUID()]}));
    else await timed('settle',c.query({text:settleJob,values:[ids,rows.map(()=>randomUUID()),ids.map(()=>'complete'),ids.map(()=>1)]}));
    await timed('commit',c.query('COMMIT')); n+=rows.length; }
  const ms=performance.now()-began;
  const wal=(await c.query('select pg_wal_lsn_diff(pg_current_wal_lsn(),$1) w',[lsn])).rows[0].w;
  console.log(name.padEnd(12),kind, Math.round(n/ms*1000),'jobs/s', 'wal/job',Math.round(wal/n),'insert',ins.toFixed(1), Object.fromEntries(Object.entries(spent).map(([k,v])=>[k,(v*1000/n).toFixed(1)+'us'])));
}
for(const c of Object.values(dbs)) await c.end(); await server.stop();
