import assert from 'node:assert/strict';
import { GuideChat } from '../../../../support/guideChat.ts';
import { guideJobs } from '../../../../support/guideJobs.ts';

const refused = /I found nothing about/;

/** Each with what a right answer has, or an honest refusal, and what would be an answer to something else. */
const questions: readonly (readonly [question: string, answer: RegExp, wrong?: RegExp])[] = [
  [
    'In which timezone will my cron schedule fire, and how do I change it to Tokyo?',
    /`schedule\.timezone_id`, such as `Asia\/Tokyo`/,
  ],
  ['what happens to the 02:30 run on the night the clocks change?', /leaves out is skipped/, /To run every day/],
  [
    'My task is flaky. Can you make it try five times with ten minutes in between?',
    /`max_retries`[\s\S]*min_retry_interval/,
  ],
  ['where do I put the api key my script needs? i dont want it in git', /millrace\.local\.environment/, /objstore/],
  ['how do i use spark-submit with a jar and a main class', /spark_submit_task[\s\S]*--class/, /spark_jar_task/],
  ['how do I give my colleague bob@acme.com the right to run it', /has no field for that/],
  ['How do I stream an answer from an endpoint with curl?', /curl -N/],
  ['how can I get embeddings for a list of 500 sentences in python', /one vector for each/, /HTTP 400/],
  ["can I export a finished run's notebook output as html", /runs\/export/],
  ['How do I switch between staging and production?', /Choose Profile…/],
  ['why did my job fail', /no module `pandas`/],
  ['delete job etl', /\*\*Delete Job\*\*/, /python_file/],
  ['schedule every second tuesday', /cannot be said[\s\S]*TUE#2/, /To run every Tuesday/],
  ['Wie plane ich einen Job jeden Montag um 8 Uhr?', /^Ich verstehe nur Englisch/],
  ['¿Cómo reintento una tarea que falla?', /^Solo entiendo inglés/],
  ['Pourquoi mon job a échoué ?', /^Je ne comprends que l'anglais/],
  ['как запустить задачу?', /^I understand English only/],
  [
    'how do i set a timeuot for a taks and get an emial when it fials?',
    /timeout_seconds[\s\S]*email_notifications\.on_failure/,
  ],
  [
    'What is the difference between notebook_task and spark_python_task?',
    /\*\*`notebook_task`\*\*[\s\S]*\*\*`spark_python_task`\*\*/,
  ],
  ['Where do I put my token?', /\*\*Millrace: Add Profile…\*\*/, /costs/],
  ['Can I use OpenAI with my own key?', /api\.openai\.com/],
  ['Why is my job grey with a question mark?', /not known yet/],
  ['Can I run a JAR without a cluster?', /no cluster is needed/, /spark_submit_task/],
  ['What is the difference between run now and submit?', /job that is deployed[\s\S]*one-time run/, /jar_params/],
  ['My notebook cannot find a module next to it', /in its own folder/],
  ['How do I get the run id inside my script?', /`\{\{run_id\}\}`/, /init_scripts/],
  ['What models are available?', /names the endpoint/],
  ['How do I make the answers shorter?', /`max_tokens` limits an answer/],
  ['How do I get JSON back from the model?', /json_schema/, /Ollama/],
  ['Can I run jobs from the terminal or CI?', /`check` validates/],
  ['How many jobs can I have?', /12,000 saved jobs/],
  ['What is the maximum size of the output?', /first 5 MB/],
  ['How do I use a real Spark cluster with local runs?', /millrace\.local\.sparkMaster/, /Ollama/],
  ['How do I run an R notebook?', /Rscript/],
  ['How do I change the port?', /any that is free/],
  ["How do I get my job's next run time?", /row of the job/],
  ['what does this extension do', /I can explain every field/],
  // What is not known is not answered with what merely shares a word with it.
  ['how do i see the history of a job', /60 days/, /jobs\/delete/],
  ['how do I upload a file', refused],
  ['how to run only one cell of a notebook', refused, /notebook\.exit/],
  ['how do I write a test for my job', refused],
  ['I can not see my jobs', /Local has 2 jobs/],
  ['how do I make a job run forever', refused, /Show Runs by Job/],
  ['my job hangs forever', /nothing about[\s\S]*- Limiting how long a run lasts/],
  ['how many retries are allowed', /nothing about[\s\S]*- Retrying failed runs/],
  ['how do I get started', /New Job File/, /Starting a run with/],
  ['what is the difference between a job and a run', /one execution/, /jobs\/reset/],
  ['does it work on windows', refused],
  ['what does timed out mean', /timeout_seconds|TIMEDOUT/],
  ['how do i install pandas for my notebook', /^I am not sure[\s\S]*pypi/],
  ['run hello with parameter day=2026-01-01', /Run Now with Parameters…/],
  ['Is it possible to trigger a job when a file arrives in S3?', /A file that arrives starts nothing/, /python_params/],
  ['how do I cancel all runs of etl', /Cancel All Runs\*\*/, /python_file/],
  ["how do I see the logs of yesterday's run", /Open Output as Text/],
  ['how do I pass the output of one task to the next one', /run_job_task/, /Finding out why/],
  [
    'Which python version is used and how do I install numpy for my job?',
    /millrace\.local\.python[\s\S]*Installing libraries/,
  ],
  ['pause my job until next week', /\*\*Pause Schedule\*\*/],
  ["how do I connect to my company's workspace with a token behind a proxy?", /Add Profile…[\s\S]*http\.proxy/],
  ['I get 401 when deploying, what now?', /Sign In to Profile…/, /existing_cluster_id/],
  ['how do i use dbt', /six kinds/],
  ['run task B only after A succeeded, but C even if A failed', /waits for no other/],
  ['What does millrace.local.python do?', /The Python that tasks run with/, /The tool answered/],
  ['what does autoscale do?', /min_workers/, /The tool answered/],
  ['How do I set how many runs go at once on this machine?', /millrace\.local\.maxParallelRuns/],
  ['Which endpoints are there?', /guide-completion/],
  ['turn off the notification when a run finishes', /millrace\.notifications\.runFinished/, /finish_reason/],
  ['wich runs faild today', /One run of Local failed today/],
  ['stop a run after 2 hours', /timeout_seconds/],
  ['how do i debug my job', /Millrace: Debug Job/],
  ['compare two runs', /Compare Output with Another Run…/, /task_key/],
  ['how do i convert JSON settings to a job file', /Convert JSON Settings to a Job File/],
  ['is there a python sdk', /no library to install/, /text\/event-stream|server-sent/],
  ['Why is my schedule not firing?', /pause_status/, /TUE#2/],
  ["what's the token limit", /max_tokens/, /12,000/],
  ['where is the log of the service', /Show Log of the Local Service/],
  ['run etl and hello', refused],
  ['What is the capital of France?', refused],
  ['Can you write me a python script that reads a csv and sums a column?', refused],
  ['can two people work on same job file', refused],
];

describe('questions of a stranger to the guide', () => {
  for (const [question, answer, wrong] of questions)
    it(question, () => {
      const text = new GuideChat(guideJobs).ask(question);
      assert.match(text, answer, text);
      if (wrong) assert.doesNotMatch(text, wrong);
    });
});
