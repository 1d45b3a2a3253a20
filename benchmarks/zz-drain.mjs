import { createRowlock, defineHandler } from '@rowlock/core';
import { postgres } from '@rowlock/driver-postgres';
import { freshDatabase, postgresForTests } from '@rowlock/servers';
import pg from 'pg'; import { cpuSecondsOfChildren } from './cpu-seconds.mjs';
const N=Number(process.env.N??60000), conc=Number(process.env.C??4), rounds=Number(process.env.R??3);
const batch=process.env.B?Number(process.env.B):undefined;
const server = await postgresForTests({ fsync: true });
const { url } = await freshDatabase(server.url);
let done=0, over=()=>{};
const Noop=defineHandler({kind:'noop', ...(batch===undefined?{}:{batch}), payload:{'~standard':{version:1,vendor:'x',validate:(value)=>({value})}},run(){}});
const rowlock = createRowlock({ driver: postgres({ connectionString: url }), handlers: [Noop], log:{debug(){},info(){},warn:console.warn,error:console.error} });
await rowlock.migrate();
const c = new pg.Client(url); await c.connect();
for (let r=0;r<rounds;r++) {
  await c.query('TRUNCATE rowlock.job, rowlock.run');
  await c.query(`INSERT INTO rowlock.job(kind) SELECT 'noop' FROM generate_series(1,$1::int)`,[N]);
  await c.query('CHECKPOINT');
  done=0; const end=new Promise(res=>{over=res});
  const worker=rowlock.worker({concurrency:conc});
  worker.on('settled',()=>{ if(++done===N) over(); });
  const sv=cpuSecondsOfChildren(); const cpu=process.cpuUsage(); const began=performance.now();
  await worker.start(); await end; const ms=performance.now()-began; const u=process.cpuUsage(cpu);
  console.log(`batch ${batch} conc ${conc}: ${Math.round(N/ms*1000)} jobs/s, node cpu ${((u.user+u.system)/N).toFixed(1)} us/job, server ${((cpuSecondsOfChildren()-sv)*1e6/N).toFixed(1)} wall ${(ms*1000/N).toFixed(1)}`);
  await worker.stop();
  const {rows}=await c.query(`select status,count(*) from rowlock.job group by 1`); if(rows.length!==1||rows[0].status!=='complete') console.log(rows);
}
await rowlock.close(); await c.end(); await server.stop();
