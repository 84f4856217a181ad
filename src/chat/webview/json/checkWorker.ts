/** The thread that holds JSON against its schema: patterns of a schema can take for ever over what a model writes. */
import { type CheckTask, checkJsonText } from '../../../shared/jsonSchema/checkJsonText.ts';

export type CheckReply = { problem: string | undefined };

self.addEventListener('message', ({ data }: MessageEvent<CheckTask>) => {
  const reply: CheckReply = { problem: checkJsonText(data) };
  self.postMessage(reply);
});
