/** Provides three conversations: the first is the latest, the second is being written, the third is empty. */
export const heldConversations = (calls: unknown[][], searched: string[], isUnread: (id: string) => boolean) => {
  const noted =
    (name: string) =>
    async (...args: unknown[]): Promise<void> =>
      void calls.push([name, ...args]);
  const service = {
    deleteConversation: noted('delete'),
    restoreConversation: noted('restore'),
    renameConversation: noted('rename'),
    openConversation: noted('open'),
    isWriting: (id: string) => id === 'b',
    isUnread,
    wordsOf: async (id: string) => (searched.push(id), id === 'b' ? 'the days are empty in b' : ''),
    listConversations: async () => [
      { id: 'a', title: 'A', updatedAtMs: 1, hasContent: true },
      { id: 'b', title: '', updatedAtMs: 1, hasContent: true },
      { id: 'c', title: 'C', updatedAtMs: 1, hasContent: false },
    ],
  };
  return { noted, service };
};
