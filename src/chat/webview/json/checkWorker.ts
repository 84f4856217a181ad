/** Worker that checks JSON against its schema: a schema's patterns can take forever on text that a model writes. */
import { type CheckTask, checkJsonText } from '../../../shared/jsonSchema/checkJsonText.ts';

export type CheckReply = { problem: string | undefined };

self.addEventListener('message', ({ data }: MessageEvent<CheckTask>) => {
  const reply: CheckReply = { problem: checkJsonText(data) };
  self.postMessage(reply);
});
