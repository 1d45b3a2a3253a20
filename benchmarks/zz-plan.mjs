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
await c.query(`INSERT INTO rowlock.job(kind) SELECT 'noop' FROM generate_series(1,20000)`); await c.query('ANALYZE rowlock.job');
const pid=(await c.query('select pg_backend_pid() p')).rows[0].p;
const cpu=()=>{const f=readFileSync(`/proc/${pid}/stat`,'utf8').split(') ')[1].split(' '); return (Number(f[11])+Number(f[12]))*10;};
const N=1500;
for (let r=0;r<3;r++) for (const [mode,plan] of [['unnamed','auto'],['named','force_custom_plan'],['named','force_generic_plan']]) {
  await c.query(`SET plan_cache_mode = ${plan}`);
  for (const what of ['claim','startRuns','settle']) {
    const b=cpu(), t=performance.now();
    for (let i=0;i<N;i++) {
      const values = what==='claim'?['default',-32768,'0',['noop'],[],1]: what==='startRuns'?[[randomUUID()],[1],[1000000+i]]: [[5],[randomUUID()],['complete'],['complete'],[1],[0],[0],[1],[null],[null],['x'],'nothing',[]];
      await c.query({...(mode==='named'?{name:`${what}${plan}`}:{}),text:sql[what],values});
    }
    console.log(r,mode,plan,what,'server cpu us',((cpu()-b)*1000/N).toFixed(0),'wall us',((performance.now()-t)*1000/N).toFixed(0));
  }
}
await c.end(); await server.stop();
