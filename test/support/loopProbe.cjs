// Loaded into a service before its own code (`--require`): measures the longest stretch in which its event loop was kept busy, and tells it to whoever connects
// to the socket that MILLRACE_LOOP_PROBE names. Each telling begins a new measurement. See loopDelay.ts.
const net = require('node:net');
const { monitorEventLoopDelay } = require('node:perf_hooks');
const { isMainThread } = require('node:worker_threads');

const tickInMs = 5;

/** Processor time of this thread alone, so that neither a busy machine nor the service's other threads count. */
function threadTimeInMs() {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function measure(address) {
  const delay = monitorEventLoopDelay({ resolution: tickInMs });
  delay.enable();
  let last = threadTimeInMs();
  let longest = 0;
  const look = () => {
    const now = threadTimeInMs();
    longest = Math.max(longest, now - last);
    last = now;
  };
  setInterval(look, tickInMs).unref();
  const server = net.createServer((socket) => {
    look();
    socket
      .on('error', () => undefined)
      .end(JSON.stringify({ longestInMs: longest, longestDelayInMs: delay.max / 1e6 }));
    longest = 0;
    delay.reset();
  });
  // A process that the service starts has the same environment, and finds the address taken.
  server
    .on('error', () => undefined)
    .listen(address)
    .unref();
}

if (isMainThread && process.env.MILLRACE_LOOP_PROBE) measure(process.env.MILLRACE_LOOP_PROBE);
