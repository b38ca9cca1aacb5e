import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createEtcdStore } from '@strata/server/store/etcd'
import type { World } from '@strata/world'
import { createCertificates } from '../../support/certificates.ts'
import { type EtcdNode, startEtcd } from '../../support/etcd.ts'
import { type MountedDisk, mountSmallDisk } from '../../support/small-disk.ts'
import { until } from '../../support/until.ts'
import { type BackupWay, diskCopy, snapshotWay } from './backup-ways.ts'
import { type Network, type Place, serverNames } from './network.ts'
import type { StoreHome } from './store-home.ts'

/** etcd allocates 64 MiB for each of two write-ahead logs. */
const diskMegabytes = 400
const indexes = [0, 1, 2] as const

/** Three nodes, each in a place of its own. */
export async function createEtcdHome(directory: string, world: World, network: Network): Promise<StoreHome> {
  const disks: MountedDisk[] = []
  for (const index of indexes) {
    const mountPoint = join(directory, `etcd-${index}`)
    await mkdir(mountPoint, { recursive: true })
    if (network.kind === 'namespaces')
      disks.push(await mountSmallDisk(`${mountPoint}.img`, mountPoint, diskMegabytes))
  }
  const certificates = await createCertificates(indexes.map((index) => network.hostOf(placeOf(index))))
  const clientFileOf = (place: Place): string => join(directory, `etcd-client-${place}.crt`)
  for (const place of ['clients', ...serverNames] as const)
    await writeFile(clientFileOf(place), certificates.clientCert)
  const etcd = await startEtcd({
    size: 3,
    certificates,
    place: (index) => ({
      host: network.hostOf(placeOf(index)),
      command: network.commandAt(placeOf(index)),
      directory: join(directory, `etcd-${index}`, 'data'),
    }),
  })
  const tls = { ca: certificates.ca, cert: certificates.clientCert, key: certificates.clientKey }
  const ways = [diskCopy(etcd, directory), ...snapshotWay(etcd, directory, certificates)]
  let taken: BackupWay | undefined
  const endAll = (): Promise<unknown> => Promise.all(etcd.nodes.map((node) => node.kill()))
  const startAll = async (): Promise<void> => {
    for (const node of etcd.nodes) node.start()
    await Promise.all(etcd.nodes.map((node) => node.ready()))
  }
  return {
    kind: 'etcd',
    etcd,
    disks,
    clientCertificates: {
      fileOf: clientFileOf,
      valid: certificates.clientCert,
      expired: await certificates.issueExpiredClient(),
    },
    flagsFor: async (place) => {
      const urls = etcd.nodes.map(async ({ endpoint }, index) => {
        const address = await network.reach(place, placeOf(index), Number(new URL(endpoint).port))
        return `https://${address}`
      })
      return [
        ...['--etcd-servers', (await Promise.all(urls)).join(','), '--etcd-cafile', certificates.caFile],
        ...['--etcd-certfile', clientFileOf(place), '--etcd-keyfile', certificates.clientKeyFile],
      ]
    },
    open: () => createEtcdStore({ endpoints: etcd.endpoints, ...world, tls }),
    async backup(way) {
      taken = ways[Math.floor(way * ways.length)] ?? ways[0]
      if (taken?.needsStop) await endAll()
      await taken?.take()
      if (taken?.needsStop) await startAll()
      return taken?.name ?? ''
    },
    async restore(beforeServing) {
      await endAll()
      await taken?.putBack()
      beforeServing()
      await startAll()
    },
    async stop() {
      await etcd.stop()
      await certificates.remove()
      for (const disk of disks) await disk.remove()
    },
  }
}

const placeOf = (index: number): Place => {
  const known = indexes[index]
  if (known === undefined) throw new Error(`there is no node ${index} of etcd`)
  return `etcd-${known}`
}

/** Waits until another node than `before` leads. */
export async function untilLedByAnother(
  { leader }: { leader(): Promise<EtcdNode> },
  before: string,
): Promise<void> {
  await until(`another node than ${before} leads`, async () => (await leader()).name !== before)
}
