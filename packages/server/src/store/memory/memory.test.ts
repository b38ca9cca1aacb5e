import { describeStoreContract } from '../contract.ts'
import { createMemoryStore, MemoryData } from './index.ts'

for (const revisions of ['shared', 'each'] as const) {
  describeStoreContract(`memory, revisions ${revisions}`, async () => {
    const data = new MemoryData({ revisions })
    return { open: async () => createMemoryStore(data) }
  })
}
