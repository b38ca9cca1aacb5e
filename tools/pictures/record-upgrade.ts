import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { StorageAgreement, StorageCensus } from '@strata/api'
import { sleep } from '@strata/world'
import { createNodeTransport, type NodeTransport, nodeClock } from '@strata/world/node'
import { ask } from '../../test/support/ask.ts'
import { type UpFleet, withUpFleet } from '../../test/support/up-process.ts'
import type { Frame, Recording } from './recording.ts'

const group = 'lighthouse.example.dev'
const beacons = `/apis/${group}/v1/namespaces/default/beacons`
const objects = 120
const writers = 4
const pauseMs = 100
/** How long the ends are watched: before the roll, and after everything is stored in the new version. */
const restMs = 1_500

interface View {
  readonly servers: readonly {
    readonly name: string
    readonly serverID: string
    readonly release: string
    readonly state: string
    readonly url: string
  }[]
  readonly roll: { readonly state: string } | null
}

/** Starts a fleet of three servers, upgrades it under a light load, and observes it until all objects are in the new version. */
export async function recordUpgrade(from: string, to: string): Promise<Recording> {
  const frames: Frame[] = []
  await withUpFleet(['--release', from], async (fleet) => {
    const reach = await connect(fleet)
    const stopping = new AbortController()
    try {
      for (let index = 0; index < objects; index++) await reach.api('POST', beacons, beacon(index), [201])
      const counts = { acknowledged: 0, refused: 0 }
      const load = Promise.all(
        Array.from({ length: writers }, (_, lane) => write(reach, lane, counts, stopping.signal)),
      )
      const beganMs = nodeClock.monotonicMs()
      const observe = async (): Promise<Frame> => {
        const ms = Math.round(nodeClock.monotonicMs() - beganMs)
        const frame = { ms, ...(await look(reach)), ...counts }
        if (isNew(frame, frames.at(-1))) frames.push(frame)
        await sleep(nodeClock, pauseMs)
        return frame
      }
      while ((await observe()).ms < restMs);
      const rolling = fleet.start('roll', '--to', to)
      for (let frame = await observe(); rolling.running || !isStored(frame, 'v2'); ) frame = await observe()
      if ((await rolling.ended()).code !== 0) throw new Error(rolling.output)
      stopping.abort(new Error('recorded'))
      await load
      const last = await observe()
      frames.push({ ...last, ms: last.ms + restMs })
    } finally {
      stopping.abort(new Error('recorded'))
      reach.close()
    }
  })
  return { resource: `beacons.${group}`, from, to, frames }
}

const isStored = ({ agreed, stored }: Frame, version: string): boolean =>
  agreed === version && stored[version] === objects

interface Reach {
  /** Asks the servers one after the other until one answers with such a status. */
  api(method: string, path: string, body?: unknown, wanted?: readonly number[]): Promise<unknown>
  fleet(): Promise<View>
  /** Like `api`, but begins at another server each time, as a load balancer does. */
  inTurn(method: string, path: string, body: unknown): Promise<unknown>
  close(): void
}

async function connect({ dataDir }: UpFleet): Promise<Reach> {
  const { socket, secret } = JSON.parse(await readFile(join(dataDir, 'control.json'), 'utf8'))
  const control = createNodeTransport({ server: 'http://playground', token: secret, socketPath: socket })
  const fleet = async (): Promise<View> => (await ask(control, 'GET', '/playground/v1/fleet')).body
  const ca = await readFile(join(dataDir, 'pki/ca.crt'))
  const token = (await readFile(join(dataDir, 'pki/admin.token'), 'utf8')).trim()
  const servers: NodeTransport[] = (await fleet()).servers.map(({ url }) =>
    createNodeTransport({ server: url, ca, token }),
  )
  let turn = 0
  const askFrom = async (
    first: number,
    method: string,
    path: string,
    body: unknown,
    wanted: readonly number[],
  ) => {
    for (let index = 0; index < servers.length; index++) {
      const server = servers[(first + index) % servers.length]
      const answer = server && (await ask(server, method, path, body).catch(() => undefined))
      if (answer && wanted.includes(answer.status)) return answer.body as unknown
    }
    throw new Error(`no server answered ${method} ${path}`)
  }
  return {
    fleet,
    api: (method, path, body, wanted = [200, 201]) => askFrom(0, method, path, body, wanted),
    inTurn: (method, path, body) => askFrom(turn++, method, path, body, [200]),
    close: () => {
      for (const each of [control, ...servers]) each.close()
    },
  }
}

const nameOf = (index: number): string => `beacon-${index % objects}`

const beacon = (index: number) => ({
  apiVersion: `${group}/v1`,
  kind: 'Beacon',
  metadata: { name: nameOf(index) },
  spec: { everySeconds: 1 + (index % 60) },
})

/** One client: it changes one object after the other, through one server after the other. */
async function write(
  { inTurn }: Reach,
  lane: number,
  counts: { acknowledged: number; refused: number },
  signal: AbortSignal,
): Promise<void> {
  for (let index = lane; !signal.aborted; index += writers) {
    const change = { spec: { everySeconds: 1 + (index % 59) } }
    await inTurn('PATCH', `${beacons}/${nameOf(index)}`, change).then(
      () => counts.acknowledged++,
      () => counts.refused++,
    )
    await sleep(nodeClock, pauseMs, signal).catch(() => {})
  }
}

async function look({ api, fleet }: Reach): Promise<Pick<Frame, 'servers' | 'stored' | 'agreed'>> {
  const [{ servers }, record, census] = await Promise.all([
    fleet(),
    api('GET', `/apis/strata.dev/v1alpha1/storageagreements/${group}.beacons`) as Promise<StorageAgreement>,
    api('POST', '/apis/strata.dev/v1alpha1/storagecensuses', {
      apiVersion: 'strata.dev/v1alpha1',
      kind: 'StorageCensus',
      spec: { group, resource: 'beacons' },
    }) as Promise<StorageCensus>,
  ])
  const entryOf = (id: string) => record.status.servers.find(({ serverID }) => serverID === id)
  return {
    servers: servers.map(({ name, serverID, release, state }) => ({
      ...{ name, release, state },
      writes: versionOf(entryOf(serverID)?.encodingVersion),
    })),
    stored: Object.fromEntries(
      (census.status?.encodings ?? []).map(({ encodingVersion, count }) => [
        versionOf(encodingVersion) ?? '',
        count,
      ]),
    ),
    agreed: versionOf(record.status.agreedVersion),
  }
}

const versionOf = (apiVersion: string | undefined): string | null => apiVersion?.split('/').at(-1) ?? null

/** The count of writes alone makes no frame. */
function isNew(frame: Frame, last: Frame | undefined): boolean {
  const shown = ({ servers, stored, agreed }: Frame): string => JSON.stringify([servers, stored, agreed])
  return last === undefined || shown(frame) !== shown(last)
}
