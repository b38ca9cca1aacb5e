import { bothStores, type FaultKind } from '../fault-kind.ts'

/** SQLite: one that is frozen with the lock of the file in its hands stops all others. That is a fault too. */
export const freeze: FaultKind = {
  name: 'freeze',
  summary: 'SIGSTOP of a server, then SIGCONT',
  stores: bothStores,
  targets: ({ server }) => [server],
  async begin({ stage }, { server }) {
    const process = stage.running(server)
    process?.signal('SIGSTOP')
    return async () => {
      if (process?.running) process.signal('SIGCONT')
    }
  },
}
