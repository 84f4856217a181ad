import { type AnswerDelta, AnswerReader, type ChoiceDelta, join } from '../../src/api/schema/inference/answer.ts';
import type { ChatChunk, CompletionChunk } from '../../src/api/schema/inference/schemas.ts';

/** A chat stream put together, as the chat does it. */
export class CollectedChat {
  readonly #reader = new AnswerReader();
  answer: AnswerDelta = { choices: [] };

  add(chunk: ChatChunk): void {
    this.answer = join(this.answer, this.#reader.read(chunk));
  }

  get choices(): ChoiceDelta[] {
    return this.answer.choices.toSorted((left, right) => left.choice - right.choice);
  }

  get text(): string {
    return this.choices[0]?.text ?? '';
  }

  get complete(): boolean {
    return this.#reader.isComplete;
  }
}

/** The texts and ends of a completion stream, by choice. */
export class CollectedCompletion {
  readonly #choices = new Map<number, { index: number; text: string; finishReason: string | undefined }>();
  totalTokens: number | undefined;

  add(chunk: CompletionChunk): void {
    this.totalTokens = chunk.usage?.total_tokens ?? this.totalTokens;
    for (const { index = 0, text = '', finish_reason: finishReason } of chunk.choices ?? []) {
      const choice = this.#choices.get(index) ?? { index, text: '', finishReason: undefined };
      this.#choices.set(index, { index, text: choice.text + text, finishReason: finishReason ?? choice.finishReason });
    }
  }

  get choices(): { index: number; text: string; finishReason: string | undefined }[] {
    return [...this.#choices.values()].sort((left, right) => left.index - right.index);
  }
}
