import assert from 'node:assert/strict';
import { spelled } from '../../../../../src/service/models/guide/askedWords.ts';
import { GuideChat } from '../../../../support/guideChat.ts';
import { guideJobs } from '../../../../support/guideJobs.ts';

/** Each as somebody typed it, with what a useful answer has. */
const questions: readonly (readonly [question: string, answer: RegExp])[] = [
  ['how do I reset everything', /Reset Local Service…[\s\S]*cannot be undone/],
  ['How can I start over from scratch?', /Reset Local Service…/],
  ['how do i clear all the runs', /Reset Local Service…/],
  ['how do I undo a deploy', /Nothing\s+undoes a deploy[\s\S]*version control/],
  ['revert my last deployment', /Nothing\s+undoes a deploy/],
  ['can i roll back a job to what it was before', /Nothing\s+undoes a deploy/],
  ['how do I see what changed between my file and the server', /Compare Job File with the Deployed Job/],
  ['can two people deploy the same job', /somebody else changed[\s\S]*Pull Job into File/],
  ['what is the difference between deploy and run now', /starts nothing[\s\S]*\*\*Run Now\*\*/],
  [
    'what happens to a run if i close vs code',
    /^\*\*Without the editor\*\*[\s\S]*A run goes on: the local service stays/,
  ],
  ['does millrace send my code anywhere? is it private', /on this machine[\s\S]*what you ask it and attach/],
  ['can the model read my files', /button with the tools/],
  ['how do i stop the model from starting jobs', /only if you choose \*\*Allow\*\*/],
  ['is there a keyboard shortcut for new chat', /Ctrl\+Alt\+J, then T \(chat\), N \(new chat\)/],
  ['how do i debug my python job with breakpoints', /F5[\s\S]*Debug Job[\s\S]*stops at the breakpoints/],
  ['how to run the same script for 10 differnt dates', /Run Now with Parameters…[\s\S]*millrace run/],
  ['how do i make 2 tasks run one after another and stop when the first fails', /has one task[\s\S]*run_job_task/],
  ['wat is a cluster and do i need one', /Here each run is a process of this machine/],
  ['my run is stuck, how do i cancel it', /Cancel All Runs/],
  ['what does temperature do and what is a good value', /0 is deterministic/],
  ["how do i connect to my company's server with a token", /Add Profile…/],
  ['how do i connect to an ollama server', /models appear as endpoints/],
  ['how do I export a chat', /Export Chat…[\s\S]*view \*\*Chat\*\*/],
  ['I have an error "No module named requests"', /no module `requests`[\s\S]*libraries/],
  ['wher are my logs stored', /Choose the run in the view \*\*Jobs\*\*/],
  ['can I use my own conda env or virtualenv', /millrace\.local\.python/],
  ['how do i get an email only on failure', /on_failure/],
  ['how do I pause a schedule temporarily', /Pause Schedule/],
  ['what timezone are schedules in', /timezone_id/],
  ['What is the temperature in Berlin?', /found nothing/],
  ['Where are my keys stored?', /^\*\*Secrets\*\*[\s\S]*editor's secret storage[\s\S]*never in a file/],
  ['where is my token kept', /^\*\*Secrets\*\*/],
  ['How do I debug a job?', /^\*\*Debugging a job\*\*/],
  ['Does a job go on when I close the editor?', /^\*\*Without the editor\*\*/],
  ['How do I run one script for many dates?', /^\*\*One program for many dates\*\*[\s\S]*max_concurrent_runs/],
  ['What is a cluster here?', /^\*\*Choosing a cluster\*\*\n\nA cluster is the machines of a run/],
  ['cluster', /^\*\*Choosing a cluster\*\*|^\*\*`[\w.]*cluster/],
  ['What is input?', /^\*\*`input`\*\*/],
  ['What closes an issue in a window function?', /found nothing/],
  ['keep runs for 90 days', /removed automatically after 60 days/],
  ['where can i find the run id', /^\*\*Ids of jobs and runs\*\*[\s\S]*Copy Run Id/],
  [
    'write a job file for a jar with main class com.acme.Main, every Monday at 6 am New York time',
    /main_class_name: com\.acme\.Main\nlibraries:\n {2}- jar: dfs:\/libs\/app\.jar[\s\S]*6 \? \* MON\n[\s\S]*You named no file/,
  ],
  ['create a job that runs a notebook each hour', /0 0 \* \* \* \?[\s\S]*at the start of every hour/],
  ['create a job that runs a notebook each hour during working days', /^(?![\s\S]*cron)[\s\S]*did not understand when/],
  ['which jobs have no schedule', /^One job of Local has no schedule:\n\n- \*\*hello\*\*/],
  ['which jobs have a schedule', /^One job of Local has a schedule:\n\n- \*\*etl\*\*/],
  ['my model server is at http://localhost:8000/v1, how do I use it', /^\*\*Using a real language model\*\*/],
  ['how do I turn off telemetry', /^\*\*What leaves this computer\*\*\n\nMillrace has no telemetry/],
  ['how to use a self signed certificate', /among the certificates of the system/],
  ['can i use requirements.txt', /A `requirements\.txt` is not read/],
  ['how can I stop an answer', /Escape, or the square/],
  ['how do I search in old chats', /Show Chats/],
];

describe('questions about the editor to the guide', () => {
  for (const [question, answer] of questions)
    it(question, () => {
      const text = new GuideChat(guideJobs).ask(question);
      assert.match(text, answer, text);
    });

  it('are fifty-two', () => assert.equal(questions.length, 52));

  it('is told of a run that goes on that it does, and not that it did not fail', () => {
    const running = {
      profile: 'Local',
      run_id: '7',
      name: 'etl #3',
      state: 'Running',
      is_failed: false,
      is_active: true,
    };
    const listed = { profile: 'Local', count: 1, is_whole: true, runs: [running] };
    const chat = new GuideChat((name) => (name === 'list_runs' ? listed : running));
    assert.match(chat.ask('Why did my last run fail?'), /^It is still going on: \*\*etl #3\*\*: Running$/m);
  });

  it('costs little, however much was pasted: slips are looked for where a question stands', () => {
    const before = 'whre are my logs ';
    const letters = (index: number): string =>
      [...String(index).padStart(5, '0')].map((digit) => 'abcdefghij'[Number(digit)]).join('');
    const pasted = Array.from({ length: 12_000 }, (_, index) => `s${letters(index)}`).join(' ');
    spelled(before);
    const start = process.cpuUsage();
    const text = spelled(before + pasted);
    const { user, system } = process.cpuUsage(start);
    assert.match(text, /^where are my logs /);
    assert.ok(text.endsWith(pasted.slice(-50_000)));
    assert.ok((user + system) / 1000 < 300, `${(user + system) / 1000} ms of processor time`);
  });
});
