import http from 'node:http';

// A server of chat streams in a process of its own, so that a bench measures the client alone. Prints its port.
// The path says how: /full?chunks=N writes as fast as it can, /paced?chunks=N&rate=R writes R events a second.

function chunkText(index: number, last: boolean): string {
  const delta = index === 0 ? '{"role":"assistant","content":""}' : `{"content":" word${index % 100}"}`;
  return (
    'data: ' +
    '{"id":"chatcmpl-9f1c2d3e4b5a","object":"chat.completion.chunk","created":1763600000,"model":"served-model-1",' +
    `"choices":[{"index":0,"delta":${delta},"finish_reason":${last ? '"stop"' : 'null'}}]}\n` +
    '\n'
  );
}

const batch = 256;

const server = http.createServer((request, response) => {
  request.resume();
  const url = new URL(request.url ?? '/', 'http://local');
  const parts = decodeURIComponent(url.pathname).split('/');
  // The client puts the endpoint's name into the path: full-100000 or paced-500-100.
  const [kind = 'full', chunks = '1000', rate = '100'] = (parts[2] ?? '').split('-');
  const count = Number(chunks);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  let index = 0;
  const finish = (): void => void response.end('data: [DONE]\n\n');
  if (kind === 'paced') {
    const timer = setInterval(
      () => {
        response.write(chunkText(index, index === count - 1));
        if (++index < count) return;
        clearInterval(timer);
        finish();
      },
      1000 / Number(rate),
    );
    response.on('close', () => clearInterval(timer));
    return;
  }
  const pump = (): void => {
    for (;;) {
      if (index >= count) return finish();
      let text = '';
      for (let sent = 0; sent < batch && index < count; sent++, index++) text += chunkText(index, index === count - 1);
      if (!response.write(text)) {
        response.once('drain', pump);
        return;
      }
    }
  };
  pump();
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address) process.stdout.write(`${address.port}\n`);
});
