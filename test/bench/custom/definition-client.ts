import { until } from '../../support/until.ts'
import type { LoadClient } from '../load/load-client.ts'
import { sendBy } from '../load/send.ts'
import { type BenchDefinition, definitions, nameOf, pathOf } from './bench-definition.ts'

/** Under load, hundreds of definitions take their time. */
const patience = { giveUpMs: 600_000 }

export async function install(client: LoadClient, definition: BenchDefinition): Promise<void> {
  await sendBy(client, 'install')('POST', definitions, definition.body)
}

/** Until this server answers for its instances. */
export async function untilServed(client: LoadClient, definition: BenchDefinition): Promise<void> {
  const path = `${pathOf(definition)}?limit=1`
  await until(`${path} is served`, async () => (await client.request('GET', path)).status === 200, patience)
}

export async function untilCreated(client: LoadClient, collection: string, body: Buffer): Promise<void> {
  let said = ''
  await until(
    `${collection} takes an instance`,
    async () => {
      const { status, beginning } = await client.request('POST', collection, body)
      said = `${status} ${beginning}`
      // As a client that waits would: it is not there yet, or its gate is not open yet.
      if (status !== 404 && status !== 503 && status >= 300) throw new Error(`${collection}: ${said}`)
      return status < 300
    },
    patience,
  )
}

/** With all instances, on a server that goes on living. */
export async function uninstall(client: LoadClient, definition: BenchDefinition): Promise<void> {
  await sendBy(client, 'uninstall')('DELETE', `${definitions}/${nameOf(definition)}`)
}

export async function makeNamespace(client: LoadClient, name: string): Promise<void> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
  await sendBy(client, 'namespace')('POST', '/api/v1/namespaces', Buffer.from(JSON.stringify(namespace)))
}
