import type { BenchContext } from '../bench-context.ts'
import { run } from '../config-maps.ts'
import { createLoadClient } from '../load/create-load-client.ts'
import type { LoadTarget } from '../load/load-client.ts'
import { sendBy } from '../load/send.ts'
import { type Result, type Runner, race } from '../rounds.ts'
import { connections } from '../workloads.ts'
import type { BenchDefinition } from './bench-definition.ts'
import { type BenchKind, benchKinds, instance } from './bench-kinds.ts'
import { install, makeNamespace, uninstall, untilCreated } from './definition-client.ts'

export interface RaceServer {
  readonly name: string
  readonly target: LoadTarget
  readonly processorMs?: () => number
  /** Only for servers that go on living. */
  readonly cleansUp: boolean
}

/** The cost of a schema: the same objects on the same server, with the schema of their kind and with one that accepts all. */
export async function createRace(
  servers: readonly RaceServer[],
  { flags, progress, print }: BenchContext,
  linesOf: (result: Result) => readonly string[],
): Promise<readonly Result[]> {
  const results: Result[] = []
  const suffix = `${run}.bench.example.com`
  const namespace = `bench-${run}-custom`
  const clients = servers.map(({ target }) => createLoadClient(target, flags.http))
  const kinds = benchKinds(suffix)
  try {
    for (const client of clients) await makeNamespace(client, namespace)
    for (const kind of kinds) {
      progress(`create custom resources: ${kind.title}`)
      const runners: Runner[] = []
      for (const [index, client] of clients.entries()) {
        const server = servers[index]
        for (const [word, definition] of [
          ['open', kind.open],
          ['schema', kind.strict],
        ] as const) {
          await install(client, definition)
          const path = collectionIn(namespace, definition)
          await untilCreated(client, path, instance(definition, 'first', kind.content))
          const send = sendBy(client, server?.name ?? '')
          let created = 0
          runners.push({
            ...server,
            name: servers.length > 1 ? `${server?.name}, ${word}` : word,
            work: () => send('POST', path, instance(definition, `created-${created++}`, kind.content)),
          })
        }
      }
      const bytes = instance(kind.strict, 'first', kind.content).length
      const title = `create custom resource: ${kind.title}, objects of ${bytes} bytes`
      const workload = {
        name: `custom-create-${kind.name}`,
        title,
        count: 300,
        atOnce: connections,
        yields: 1,
      }
      const result = await race(workload, runners, flags.rounds)
      results.push(result)
      for (const line of linesOf(result)) print(line)
    }
    return results
  } finally {
    for (const [index, client] of clients.entries()) {
      if (servers[index]?.cleansUp) await cleanUp(client, kinds, namespace)
      client.close()
    }
  }
}

const collectionIn = (namespace: string, { apiVersion, plural }: BenchDefinition): string =>
  `/apis/${apiVersion}/namespaces/${namespace}/${plural}`

async function cleanUp(
  client: ReturnType<typeof createLoadClient>,
  kinds: readonly BenchKind[],
  namespace: string,
): Promise<void> {
  for (const { open, strict } of kinds) for (const each of [open, strict]) await uninstall(client, each)
  await client.request('DELETE', `/api/v1/namespaces/${namespace}`)
}
