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
const B=500,N=40;
for (const mode of ['unnamed','named']) {
  await c.query('TRUNCATE rowlock.job, rowlock.run');
  await c.query(`INSERT INTO rowlock.job(kind) SELECT 'noop' FROM generate_series(1,60000)`);
  const spent={}; let line='0';
  const ask=async(what,values)=>{const b=cpu(); const r=await c.query({...(mode==='named'?{name:what+mode}:{}),text:sql[what],values}); spent[what]=(spent[what]??0)+cpu()-b; return r.rows;};
  for (let i=0;i<N;i++) { await c.query('BEGIN');
    const rows=await ask('claim',['default',-32768,line,['noop'],[],B]); line=rows.at(-1).id; const ids=rows.map(r=>r.id), ps=ids.map(()=>randomUUID());
    await ask('startRuns',[ps,ids.map(()=>1),ids]);
    await ask('settleAll',[ids,ps,ids.map(()=>'complete'),ids.map(()=>'complete'),ids.map(()=>1),ids.map(()=>0),ids.map(()=>0),ids.map(()=>1),ids.map(()=>null),ids.map(()=>null),ids.map(()=>'x'),'new',[]]);
    await c.query('COMMIT'); }
  console.log(mode,Object.fromEntries(Object.entries(spent).map(([k,v])=>[k,(v*1000/N/B).toFixed(1)+' us/job'])));
  if(mode==='named') for (const w of ['claim','startRuns','settleAll']) { const n={claim:6,startRuns:3,settleAll:13}[w]; await c.query('SET plan_cache_mode=force_generic_plan'); console.log((await c.query(`EXPLAIN EXECUTE "${w}${mode}"(${Array(n).fill('NULL').join(',')})`)).rows.map(r=>r['QUERY PLAN'].slice(0,140)).join('\n')); }
}
await c.end(); await server.stop();
