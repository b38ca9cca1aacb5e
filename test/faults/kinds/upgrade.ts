import { bothStores, type FaultKind } from '../fault-kind.ts'

/** x+1 prefers to store v1, x+2 prefers v2; both read both. */
export const otherRelease = (release: string): string => (release === 'x+1' ? 'x+2' : 'x+1')

export const upgrade: FaultKind = {
  name: 'upgrade',
  summary: 'a server is shut down, and started in the next or the previous release',
  stores: bothStores,
  targets: ({ server }) => [server],
  async begin({ stage, note }, { server }) {
    const settings = stage.settings(server)
    await stage.end(server)
    settings.release = otherRelease(settings.release)
    note(`${server} to ${settings.release}`)
    await stage.launch(server)
    return async () => {}
  },
}
