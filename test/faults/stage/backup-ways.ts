import { execFile } from 'node:child_process'
import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Certificates } from '../../support/certificates.ts'
import type { EtcdCluster, EtcdNode } from '../../support/etcd.ts'

const run = promisify(execFile)

/** How etcd is backed up and restored. No node runs while a backup is put back. */
export interface BackupWay {
  readonly name: string
  /** Whether no node may run while it is taken. */
  readonly needsStop: boolean
  take(): Promise<void>
  putBack(): Promise<void>
}

/** The disks of all nodes at one moment, as with snapshots of virtual machines. The cluster keeps its id. */
export function diskCopy({ nodes }: EtcdCluster, directory: string): BackupWay {
  const copyOf = ({ name }: EtcdNode): string => join(directory, `backup-${name}`)
  const copyAll = async (from: (node: EtcdNode) => string, to: (node: EtcdNode) => string): Promise<void> => {
    for (const node of nodes) {
      await rm(to(node), { recursive: true, force: true })
      await cp(from(node), to(node), { recursive: true })
    }
  }
  return {
    name: 'a copy of the disks',
    needsStop: true,
    take: () => copyAll((node) => node.directory, copyOf),
    putBack: () => copyAll(copyOf, (node) => node.directory),
  }
}

/** `etcdctl snapshot`, if there is an etcdctl: taken from a running cluster, and restored as a cluster with another id. */
export function snapshotWay(
  { nodes, leader }: EtcdCluster,
  directory: string,
  { caFile, clientCertFile, clientKeyFile }: Certificates,
): readonly BackupWay[] {
  const etcdctl = process.env.STRATA_ETCDCTL
  if (!etcdctl) return []
  const file = join(directory, 'snapshot.db')
  let restores = 0
  return [
    {
      name: 'etcdctl snapshot',
      needsStop: false,
      async take() {
        const node = await leader()
        // A snapshot is of one node, which may lag behind. After a linearizable read it has all that was acknowledged.
        await node.ask('/v3/kv/range', { key: 'AA==' })
        await rm(file, { force: true })
        const identity = ['--cacert', caFile, '--cert', clientCertFile, '--key', clientKeyFile]
        await run(etcdctl, ['--endpoints', node.endpoint, ...identity, 'snapshot', 'save', file])
      },
      async putBack() {
        const cluster = nodes.map(({ name, peerUrl }) => `${name}=${peerUrl}`).join(',')
        const token = `restored-${restores++}`
        for (const { name, peerUrl, directory: home } of nodes) {
          await rm(home, { recursive: true, force: true })
          await run(etcdctl, [
            ...['snapshot', 'restore', file, '--name', name, '--data-dir', home],
            ...['--initial-cluster', cluster, '--initial-cluster-token', token],
            ...['--initial-advertise-peer-urls', peerUrl],
          ])
        }
      },
    },
  ]
}
