import { bothStores, type FaultKind } from '../fault-kind.ts'

/** A node of etcd ends itself when it cannot write its log. SQLite's file is shared by all servers, and so is its disk. */
export const diskFull: FaultKind = {
  name: 'disk-full',
  summary: 'no space is left on the disk of the store, or of one node of etcd',
  stores: bothStores,
  needs: 'namespaces',
  targets: () => ['store'],
  async begin({ stage, note }, { node }) {
    const { disks, etcd } = stage.home
    const disk = disks[node % disks.length]
    await disk?.fill()
    return async () => {
      await disk?.free()
      const member = etcd?.nodes[node]
      if (!member || member.running) return
      note('etcd had ended; it is started again')
      await member.restart()
    }
  },
}
