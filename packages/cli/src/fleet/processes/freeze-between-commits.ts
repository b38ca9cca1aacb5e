import { ApiError, type Lease, leases } from '@strata/api'
import { createClient, createFailoverTransport } from '@strata/client'
import { deadline, sleep, uuid, type World } from '@strata/world'
import type { FleetServer } from './fleet-server.ts'

const attempts = 5
const probeMs = 3_000

type Freezable = Pick<
  FleetServer,
  'name' | 'beginFreeze' | 'isFreezing' | 'halt' | 'goOn' | 'markFrozen' | 'thaw'
>

/**
 * Freezes a server, but not inside a commit: a process that is stopped while it holds the lock of the SQLite file keeps every
 * other server from writing, and then there is nothing to see but that. The others are asked to write; if they cannot, the
 * server is thawed and frozen again. Only the last freeze is told: a client that saw an earlier one would go on while the
 * server runs.
 */
export async function freezeBetweenCommits(
  server: Freezable,
  others: readonly Pick<FleetServer, 'transport'>[],
  world: World,
  signal: AbortSignal,
): Promise<void> {
  server.beginFreeze()
  const [first, ...more] = others.map(({ transport }) => transport)
  for (let attempt = 0; attempt < attempts; attempt++) {
    server.halt()
    // Without another server there is nothing to keep from writing.
    const isDone = !first || (await canWrite(createFailoverTransport([first, ...more]), world, signal))
    if (server.isFreezing && isDone) return server.markFrozen()
    if (server.isFreezing) {
      server.goOn()
      await sleep(world.clock, 100, signal)
    }
    if (!server.isFreezing)
      throw new ApiError(409, 'Conflict', `${server.name} has ended, or was restarted, before it was frozen`)
  }
  server.thaw()
  throw new ApiError(
    409,
    'Conflict',
    `${server.name} was in the middle of a commit ${attempts} times, which keeps the others from writing: try again`,
  )
}

/** Leases are of the kinds that no agreement fences, and another one disturbs nothing. */
async function canWrite(
  transport: ReturnType<typeof createFailoverTransport>,
  { clock, random }: World,
  signal: AbortSignal,
): Promise<boolean> {
  const limit = deadline(clock, probeMs, signal)
  const metadata = { namespace: 'kube-system', name: `strata-playground-${uuid(random)}` }
  try {
    const client = createClient({ transport }).resource<Lease>(leases, 'v1')
    await client.create({ metadata, spec: {} }, limit.signal)
    await client.delete(metadata, {}, limit.signal)
    return true
  } catch (error) {
    if (signal.aborted) throw error
    return false
  } finally {
    limit.dispose()
  }
}
