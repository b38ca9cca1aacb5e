import { bothStores, type FaultKind } from '../fault-kind.ts'

export const kill: FaultKind = {
  name: 'kill',
  summary: 'kill -9 of a server, which is started again',
  stores: bothStores,
  targets: ({ server }) => [server],
  async begin({ stage }, { server }) {
    await stage.running(server)?.kill()
    return async () => void (await stage.launch(server))
  },
}
