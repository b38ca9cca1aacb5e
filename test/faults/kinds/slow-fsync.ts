import { sleep } from '@strata/world'
import { nodeClock } from '@strata/world/node'
import { bothStores, type FaultKind } from '../fault-kind.ts'

const pauseMs = 50

/** Every write and every fsync waits for a while: the file system is frozen again and again. */
export const slowFsync: FaultKind = {
  name: 'slow-fsync',
  summary: 'writes to the disk of the store, or of one node of etcd, take up to 0.8 s',
  stores: bothStores,
  needs: 'namespaces',
  targets: () => ['store'],
  async begin({ stage }, { node, magnitude }) {
    const { disks } = stage.home
    const disk = disks[node % disks.length]
    const stopping = new AbortController()
    const slowDown = async (): Promise<void> => {
      while (!stopping.signal.aborted) {
        await disk?.freeze()
        await sleep(nodeClock, 100 + 700 * magnitude)
        await disk?.thaw()
        await sleep(nodeClock, pauseMs)
      }
    }
    const slowed = slowDown()
    slowed.catch(() => {})
    return async () => {
      stopping.abort()
      await slowed
    }
  },
}
