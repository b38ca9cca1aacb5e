import { after, before } from 'node:test'
import { silentLog } from '@strata/world'
import { createNodeRandom, nodeClock } from '@strata/world/node'
import { type EtcdCluster, startEtcd } from '../../../../../test/support/etcd.ts'
import { describeStoreContract } from '../contract.ts'
import { createEtcdStore } from './etcd-store.ts'

/** The test before which the leader of three dies: the remaining tests run with two. */
const LEADER_DIES_BEFORE_TEST = 12

for (const size of [1, 3] as const) {
  let cluster: EtcdCluster
  let tests = 0
  before(async () => {
    cluster = await startEtcd({ size })
  })
  after(() => cluster.stop())

  describeStoreContract(
    size === 1 ? 'etcd, one node' : 'etcd, three nodes of which one dies',
    async () => {
      tests++
      if (size === 3 && tests === LEADER_DIES_BEFORE_TEST) await (await cluster.leader()).kill()
      const { endpoints } = cluster
      return {
        open: () =>
          createEtcdStore({ endpoints, clock: nodeClock, random: createNodeRandom(), log: silentLog }),
      }
    },
    // Three nodes on one machine are slow, and show nothing more at full size than one.
    { progress: false, scale: (size === 1 ? 1 : 0.25) * Number(process.env.STRATA_TEST_SCALE ?? 1) },
  )
}
