// In place of the local service: writes down what it was started with, and ends with a message.
const fs = require('node:fs');

let text = '';
process.stdin.on('data', (piece) => (text += piece));
process.stdin.on('end', () => {
  fs.writeFileSync('given.json', JSON.stringify([process.argv.slice(2), JSON.parse(text)]));
  console.error('No disk');
  process.exit(1);
});
