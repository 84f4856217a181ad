import fs from 'node:fs'; import os from 'node:os'; import path from 'node:path';
import { packHostProbe, packManyRowsExtension } from '/work/wt-runs/test/support/carrier.ts';
import { openWindow } from '/work/wt-runs/test/support/window.ts';
import { vsixFile } from '/work/wt-runs/test/support/paths.ts';
import http from 'node:http';
const folder=fs.mkdtempSync(path.join(os.tmpdir(),'mr-measure-'));
const ws=path.join(folder,'ws'); fs.mkdirSync(ws);
const result=path.join(folder,'r.json');
const probe=await packHostProbe(path.join(folder,'probe'),result);
const many=await packManyRowsExtension(path.join(folder,'many'),12000);
const jobs=Array.from({length:12000},(_, i)=>({job_id:i+1,created_time:1700000000000+i,creator_user_name:'someone@example.com',settings:{name:`nightly etl ${String(i*7919%12000).padStart(5,'0')}`,new_cluster:{spark_version:'15.4.x',node_type_id:'local',num_workers:2},timeout_seconds:3600,schedule:{quartz_cron_expression:'0 30 2 ? * MON-FRI',timezone_id:'Europe/Berlin',pause_status:'PAUSED'},spark_jar_task:{main_class_name:'com.example.etl.Main',parameters:['--day','{{start_date}}']}}}));
const list=JSON.stringify({jobs});
const server=http.createServer((q,s)=>{ s.writeHead(200,{'content-type':'application/json'}); s.end(q.url!.startsWith('/api/2.0/jobs/list')?list:'{"runs":[],"has_more":false}')});
await new Promise<void>(r=>server.listen(0,'127.0.0.1',r));
const url=`http://127.0.0.1:${(server.address() as any).port}`;
console.log('list bytes',list.length);
const window=await openWindow({vsix:[vsixFile,probe,many],workspace:ws,settings:{'millrace.profiles':[{id:'team',name:'Team',baseUrl:url,authKind:'none'}]}});
try{
  for (const round of [1,2]) {
    await window.runCommand('Probe: Begin');
    await window.page.locator('.activitybar').getByRole('tab',{name:'Many Rows'}).locator('a').first().click();
    await window.page.locator('.sidebar').getByText('Row 1').first().waitFor();
    await window.page.waitForTimeout(3000);
    await window.runCommand('Probe: End');
    await window.page.waitForTimeout(2500);
    console.log('many rows',fs.readFileSync(result,'utf8'));
    await window.page.locator('.activitybar').getByRole('tab',{name:'Explorer'}).locator('a').first().click().catch(()=>{});
    if(round===1){ await window.openView('Millrace'); await window.runCommand('Millrace: Choose Profile…'); 
    await window.quickPickRows().filter({hasText:'Team'}).first().waitFor();
    await window.page.keyboard.press('Escape');
    await window.runCommand('Probe: Begin');
    await window.runCommand('Millrace: Choose Profile…'); await window.pick('Team');
    await window.treeRows('Jobs').filter({hasText:'nightly etl 00000'}).waitFor();
    await window.page.waitForTimeout(4000);
    await window.runCommand('Probe: End');
    await window.page.waitForTimeout(2500);
    console.log('millrace',fs.readFileSync(result,'utf8'));}
    else { await window.runCommand('Probe: Begin'); await window.runCommand('Millrace: Refresh'); await window.page.waitForTimeout(5000); await window.runCommand('Probe: End');    await window.page.waitForTimeout(2500); console.log('refresh',fs.readFileSync(result,'utf8')); }
  }
} finally { await window.close(); server.close(); server.closeAllConnections(); }
process.exit(0);
