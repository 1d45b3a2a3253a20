import { createRowlock, defineHandler } from '@rowlock/core';
import { postgres } from '@rowlock/driver-postgres';
import { statements } from '../packages/driver-postgres/dist/statements.js';
import { freshDatabase, postgresForTests } from '@rowlock/servers';
import pg from 'pg'; import { randomUUID } from 'node:crypto'; import { cpuSecondsOfChildren } from './cpu-seconds.mjs';
const N=Number(process.env.N??6000), conc=Number(process.env.C??24), rounds=Number(process.env.R??2);
const server = await postgresForTests({ fsync: true });
const { url } = await freshDatabase(server.url);
const sql=statements('rowlock');
let done=0, over=()=>{};
const Noop=defineHandler({kind:'noop', batch:1, payload:{'~standard':{version:1,vendor:'x',validate:(value)=>({value})}},run(){}});
const rowlock = createRowlock({ driver: postgres({ connectionString: url }), handlers: [Noop], log:{debug(){},info(){},warn:console.warn,error:console.error} });
await rowlock.migrate();
const c = new pg.Client(url); await c.connect();
const clients=[]; for(let i=0;i<conc;i++){const x=new pg.Client({connectionString:url,pipeline:true}); await x.connect(); clients.push(x);}
const pool=new pg.Pool({connectionString:url,max:conc});
async function bare(withRecord) {
  let left=N;
  await Promise.all(clients.map(async (x)=>{
    for(;;){
      x.query('BEGIN'); const {rows:[job]}=await x.query({name:'claim',text:sql.claim,values:['default',-32768,'0',['noop'],[],1]});
      if(!job){await x.query('ROLLBACK');return;}
      const p=randomUUID();
      if(withRecord) await pool.query({name:'start',text:sql.startRuns,values:[[p],[1],[job.id]]});
      x.query({name:'settle',text:sql.settleAll,values:[[job.id],[p],['complete'],['complete'],[1],[0],[0],[1],[null],[null],['x'],'new',[]]});
      await x.query('COMMIT'); left--;
    }
  }));
}
async function ours(){ done=0; const end=new Promise(res=>{over=res}); const worker=rowlock.worker({concurrency:conc}); worker.on('settled',()=>{ if(++done===N) over(); }); await worker.start(); await end; return worker; }
for (let r=0;r<rounds;r++) for (const what of ['bare','bare+record','rowlock']) {
  await c.query('TRUNCATE rowlock.job, rowlock.run');
  await c.query(`INSERT INTO rowlock.job(kind) SELECT 'noop' FROM generate_series(1,$1::int)`,[N]); await c.query('VACUUM ANALYZE rowlock.job');
  await c.query('CHECKPOINT');
  const sv=cpuSecondsOfChildren(); const cpu=process.cpuUsage(); const began=performance.now();
  const w = what==='rowlock'?await ours():(await bare(what!=='bare'),null); const ms=performance.now()-began; const u=process.cpuUsage(cpu);
  console.log(`${what.padEnd(12)} ${Math.round(N/ms*1000)} jobs/s node ${((u.user+u.system)/N).toFixed(0)} (user ${(u.user/N).toFixed(0)}) server ${((cpuSecondsOfChildren()-sv)*1e6/N).toFixed(0)} us/job`);
  await w?.stop();
}
for(const x of clients) await x.end(); await pool.end(); await rowlock.close(); await c.end(); await server.stop();
