import assert from 'node:assert/strict';
import { GuideChat } from '../../../../support/guideChat.ts';
import { guideJobs } from '../../../../support/guideJobs.ts';

const refused = /I found nothing about/;
const failedRun = /\*\*etl #3\*\*: Failed/;

/** Each in a newcomer's words, with what a useful answer has, or an honest refusal. */
const questions: readonly (readonly [question: string, answer: RegExp])[] = [
  ['did everything go fine last night?', failedRun],
  ['is everything ok with my jobs?', failedRun],
  ['how many of my runs broke this week?', failedRun],
  ['when was hello last executed?', /\*\*hello #5\*\*: Succeeded/],
  ['is there something wrong with etl?', failedRun],
  ['what is my etl job configured to do?', /job \*\*hello\*\* as the service has it/],
  ['how long does hello usually take?', /\*\*hello #5\*\*: Succeeded, 1 s/],
  ['which parameters did the failed run get?', /"day": "2026-11-21"/],
  ['what parameters did hello get in the last run?', /\*\*hello #5\*\*[\s\S]*`overriding_parameters`/],
  ["what's the status of etl?", failedRun],
  ['can you restart the run that failed?', /\*\*Run Again\*\*/],
  ['which of my jobs never ran?', refused],
  ['who started this run?', /creator_user_name/],
  ['who wrote the etl job?', /creator_user_name/],
  ['what sort of tasks can a job have?', /six kinds/],
  ['how do I stop Millrace from starting its server when I open VS Code?', refused],
  ['where can i change how often the job list gets refreshed?', refused],
  ['can I make enter insert a newline rather than send the message?', /Shift\+Enter breaks the line/],
  ['how can I get my previous prompt back?', /arrow up brings back/],
  ['which key stops the answer?', /^Escape|\nEscape/],
  ['why is the answer cut off?', /\*\*Continue\*\* below/],
  ['what is the shortcut to open the chat?', /Ctrl\+Alt\+J, then T/],
  ['my llama.cpp runs on another computer, how do I add it?', /"baseUrl"/],
  ["why don't I see my ollama models in the list?", /`millrace\.local\.discoverModels`/],
  ['how can I remove an endpoint that I made?', /Delete Serving Endpoint…/],
  ['what is the difference between guide and guide-completion?', /`guide-completion` \(continues a prompt\)/],
  ['how do I tell it which model to use for a new chat by default?', /a new chat keeps it/],
  ['can I save my chat parameters and use them again?', /presets of the sampling/],
  ['is my data sent to some server?', /no telemetry/],
  ['does my code leave this machine?', /no telemetry/],
  ['why is the run button grey?', /read-only \(changes are refused\)/],
  ['can I attach a picture?', /text alone/],
  ['how do I give a date to my script each time it runs?', /\{\{start_date\}\}/],
  ['what happens to the answer when I set top_k to 1?', /output deterministic/],
  ['how do I pass a list to a notebook parameter?', /Names and values are text/],
  ['does deploying overwrite what a colleague changed on the server?', /somebody else changed/],
  ['how do I see what differs between my file and what is on the server?', /Compare Job File/],
  ['can I go back to the version before my last deploy?', /Nothing undoes a deploy/],
  ['how do I get a job from the server into a file?', /Pull Job into File/],
  ['how do i log out?', /\*\*Remove Profile…\*\* forgets it/],
  ['how can I protect production from accidental changes?', /read-only \(changes are refused\)/],
  ['I get 403 when I press run, who can fix that?', /403: the token is right/],
  ['why is my token rejected?', /401: the token is missing, wrong or expired/],
  ['does the guide cost anything?', /and the guide cost nothing/],
  ['how much will my nightly job cost me per month?', /no part of this API tells/],
  ['does the model see my whole workspace?', /only with the button with the tools on/],
  ['how much memory does a run get?', refused],
  ['is any job waiting?', /Nothing is running on Local/],
  ['what went wrong this morning?', failedRun],
  ['how do I compare two answers?', refused],
  ['is the cluster of my company down?', refused],
  ['summarize the news of today', refused],
  ['how much disk space is left on the server?', refused],
  ['can you remember my name for next time?', refused],
];

describe('fresh questions of a newcomer to the guide', () => {
  for (const [question, answer] of questions)
    it(question, () => {
      const text = new GuideChat(guideJobs).ask(question);
      assert.match(text, answer, text);
    });
});
