import type { FaultKind } from '../fault-kind.ts'

export const etcdKill: FaultKind = {
  name: 'etcd-kill',
  summary: 'kill -9 of one node of etcd, or of all of them at once',
  stores: ['etcd'],
  targets: () => ['store'],
  async begin({ stage, note }, { node, magnitude }) {
    const all = stage.home.etcd?.nodes ?? []
    const killed = magnitude < 0.4 ? all : all.filter((_, index) => index === node)
    note(killed.map(({ name }) => name).join(', '))
    await Promise.all(killed.map((each) => each.kill()))
    return async () => {
      for (const each of killed) each.start()
      await Promise.all(killed.map((each) => each.ready()))
    }
  },
}
