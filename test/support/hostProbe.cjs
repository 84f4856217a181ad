// Runs in the extension host, beside the extension that is looked at: see packHostProbe in carrier.ts.
const fs = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

const tickInMs = 1;

/** Processor time of this thread alone, so that neither a busy machine nor other threads count. */
function threadTimeInMs() {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function collect() {
  setFlagsFromString('--expose_gc');
  runInNewContext('gc')();
}

exports.register = (vscode, resultFile) => {
  let begun;
  const begin = () => {
    clearInterval(begun?.timer);
    collect();
    begun = { memory: process.memoryUsage(), cpuInMs: threadTimeInMs(), last: threadTimeInMs(), longest: 0 };
    begun.timer = setInterval(() => {
      const now = threadTimeInMs();
      begun.longest = Math.max(begun.longest, now - begun.last);
      begun.last = now;
    }, tickInMs);
  };
  const end = () => {
    clearInterval(begun.timer);
    const cpuInMs = threadTimeInMs() - begun.cpuInMs;
    collect();
    const { heapUsed, external, rss } = process.memoryUsage();
    const megabytes = (bytes) => bytes / 1024 / 1024;
    fs.writeFileSync(
      resultFile,
      JSON.stringify({
        longestBlockInMs: begun.longest,
        cpuInMs,
        memoryInMB: megabytes(heapUsed + external - begun.memory.heapUsed - begun.memory.external),
        rssInMB: megabytes(rss - begun.memory.rss),
      }),
    );
  };
  return vscode.Disposable.from(
    vscode.commands.registerCommand('probe.begin', begin),
    vscode.commands.registerCommand('probe.end', end),
  );
};
