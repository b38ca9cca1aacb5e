import type { FaultKind } from '../fault-kind.ts'
import { untilLedByAnother } from '../stage/etcd-home.ts'

export const leaderChange: FaultKind = {
  name: 'leader-change',
  summary: 'the leader of etcd is killed, or frozen, until another one leads',
  stores: ['etcd'],
  targets: () => ['store'],
  async begin({ stage }, { magnitude }) {
    const { etcd } = stage.home
    if (!etcd) throw new Error('this store has no leader')
    const leader = await etcd.leader()
    const isKilled = magnitude < 0.5
    if (isKilled) await leader.kill()
    else leader.freeze()
    try {
      const others = etcd.nodes.filter((node) => node !== leader)
      await untilLedByAnother({ leader: () => etcd.leaderAmong(others) }, leader.name)
    } catch (error) {
      if (!isKilled) leader.thaw()
      throw error
    }
    return async () => {
      if (!isKilled) leader.thaw()
      else if (!leader.running) await leader.restart()
    }
  },
}
