import { createRowlock, defineHandler } from '@rowlock/core';
import { postgres } from '@rowlock/driver-postgres';
import { statements } from '../packages/driver-postgres/dist/statements.js';
import { freshDatabase, postgresForTests } from '@rowlock/servers';
import { readFileSync } from 'node:fs'; import { randomUUID } from 'node:crypto';
import pg from 'pg';
const server = await postgresForTests({ fsync: true });
const { url } = await freshDatabase(server.url);
const rowlock = createRowlock({ driver: postgres({ connectionString: url }), handlers: [defineHandler({kind:'noop',payload:{'~standard':{version:1,vendor:'x',validate:(value)=>({value})}},run(){}})] });
await rowlock.migrate(); await rowlock.close();
const sql=statements('rowlock');
const c = new pg.Client(url); await c.connect();
const pid=(await c.query('select pg_backend_pid() p')).rows[0].p;
const cpu=()=>{const f=readFileSync(`/proc/${pid}/stat`,'utf8').split(') ')[1].split(' '); return (Number(f[11])+Number(f[12]))*10;};
const B=500,N=100;
const set=`process_id = given.process_id, attempt=$3, crashes=0, output=NULL, error=NULL, started_at=clock_timestamp() - $4::float8 * interval '1 ms', started_by=$5, finished_at=clock_timestamp(), finished_by=$5, status='complete'`;
const forms={
 full: [sql.settleAll, (ids,ps)=>[ids,ps,ids.map(()=>'complete'),ids.map(()=>'complete'),ids.map(()=>1),ids.map(()=>0),ids.map(()=>0),ids.map(()=>1),ids.map(()=>null),ids.map(()=>null),ids.map(()=>'x'),'new',[]]],
 alike: [`WITH settled AS (UPDATE rowlock.job AS job SET ${set} FROM unnest($1::bigint[],$2::uuid[]) AS given(id,process_id) WHERE job.id=ANY($1) AND job.id=given.id AND job.status='new' RETURNING job.id) SELECT 1/(count(*)=cardinality($1))::integer FROM settled`,(ids,ps)=>[`{${ids.join(',')}}`,`{${ps.join(',')}}`,1,1,'x']],
 oneProcess: [`WITH settled AS (UPDATE rowlock.job AS job SET ${set.replace('given.process_id','$2::uuid')} WHERE job.id=ANY($1) AND job.status='new' RETURNING job.id) SELECT 1/(count(*)=cardinality($1))::integer FROM settled`,(ids,ps)=>[`{${ids.join(',')}}`,ps[0],1,1,'x']],
};
for (let r=0;r<3;r++) for (const [name,[text,values]] of Object.entries(forms)) {
  await c.query('TRUNCATE rowlock.job, rowlock.run');
  await c.query(`INSERT INTO rowlock.job(kind) SELECT 'noop' FROM generate_series(1,${B*N})`); await c.query('CHECKPOINT');
  const spent={}; let line='0';
  const ask=async(what,text,values)=>{const b=cpu(); const r=await c.query({text,values}); spent[what]=(spent[what]??0)+cpu()-b; return r.rows;};
  for (let i=0;i<N;i++) { await c.query('BEGIN');
    const rows=await ask('claim',sql.claim,['default',-32768,line,['noop'],[],B]); line=rows.at(-1).id; const ids=rows.map(r=>r.id), ps=ids.map(()=>randomUUID());
    await ask('startRuns',sql.startRuns,[ps,ids.map(()=>1),ids]);
    await ask('settle',text,values(ids,ps));
    await ask('commit','COMMIT',[]); }
  console.log(r,name,Object.fromEntries(Object.entries(spent).map(([k,v])=>[k,(v*1000/N/B).toFixed(1)])));
}
await c.end(); await server.stop();
