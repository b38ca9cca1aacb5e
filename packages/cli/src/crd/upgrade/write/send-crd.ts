import { ApiError, type CustomResourceDefinition, customResourceDefinitions, jsonEqual } from '@strata/api'
import { isAbsence, isConflict, isRequestFailure, isTransient } from '@strata/client'
import { deadline, sleep } from '@strata/world'
import type { CliContext } from '../../../context.ts'
import { type Cluster, notSeenError } from '../../../migration/resources/cluster.ts'
import { outcomeOfPatch } from '../../../migration/run/patch-outcome.ts'
import { patienceMs, withRetries } from '../../../migration/run/read-with-retries.ts'
import { UpgradeStop } from '../upgrade-stop.ts'
import type { CrdWrite } from './crd-write.ts'
import { createCrd } from './create-crd.ts'

type Definition = CustomResourceDefinition

export interface CrdChannel {
  readonly cluster: Cluster
  readonly context: Pick<CliContext, 'world' | 'signal'>
  readonly forceConflicts: boolean
}

const lookMs = 60_000
const mostTries = 4
const betweenTriesMs = 500

/** The CRD as it is; undefined if the server said that there is none. */
export function readCrd({ cluster, context }: CrdChannel, name: string): Promise<Definition | undefined> {
  const options = { limitMs: lookMs, patienceMs, isWorthIt: isTransient, onWait: () => {} }
  return withRetries(
    context,
    async (signal) => {
      try {
        return await cluster.client.resource(customResourceDefinitions, 'v1').get({ name }, signal)
      } catch (error) {
        if (isAbsence(error, customResourceDefinitions, name)) return undefined
        throw error
      }
    },
    options,
  )
}

/** What the server would store, or why it refuses. */
export async function dryRunCrd(channel: CrdChannel, name: string, write: CrdWrite): Promise<Definition> {
  try {
    return await sendOnce(channel, name, write, true)
  } catch (error) {
    if (channel.context.signal.aborted || outcomeOfPatch(error) === 'bug') throw error
    throw refusalStop(name, error)
  }
}

export interface GuardedWrite {
  /** Reads the CRD again, and throws if others have changed it; the write is made of what it returns. */
  readonly check: (sent: Definition['spec'] | undefined) => Promise<Definition | undefined>
  readonly make: (live: Definition | undefined) => CrdWrite
  /** Called with what the server would store, right before the write is sent. */
  readonly before: (stored: Definition) => Promise<void>
}

/** A lost race and a lost answer are tried again: the write names the uid and resourceVersion that it is about. */
export async function sendCrd(
  channel: CrdChannel,
  name: string,
  { check, make, before }: GuardedWrite,
): Promise<Definition> {
  const { clock } = channel.context.world
  let sent: Definition['spec'] | undefined
  for (let tries = 1; ; tries++) {
    const live = await checkAfter(channel, name, check, sent)
    if (sent !== undefined && live !== undefined && jsonEqual(live.spec, sent)) return live
    const write = make(live)
    /** Undefined while only a dry run was sent. */
    let stored: Definition | undefined
    try {
      const answer = await sendOnce(channel, name, write, true)
      await before(answer)
      stored = answer
      return write.isNew
        ? await createCrd(channel, definitionsOf(channel), write, answer)
        : await sendOnce(channel, name, write, false)
    } catch (error) {
      const outcome = outcomeOfPatch(error)
      // An earlier write may be on its way, whatever was seen since.
      if (sent !== undefined && error instanceof UpgradeStop) throw unknownStop(name, error.message)
      if (channel.context.signal.aborted || outcome === 'bug') throw error
      if (outcome === 'unknown' && stored !== undefined) sent = stored.spec
      if (outcome === 'refused' || isFieldConflict(error) || tries >= mostTries) {
        // An earlier write may be on its way.
        throw sent === undefined ? refusalStop(name, error) : unknownStop(name)
      }
      await sleep(clock, betweenTriesMs, channel.context.signal)
    }
  }
}

/** If the read fails after a write without an answer, the outcome of that write is unknown. */
async function checkAfter(
  { context }: CrdChannel,
  name: string,
  check: GuardedWrite['check'],
  sent: Definition['spec'] | undefined,
): Promise<Definition | undefined> {
  try {
    return await check(sent)
  } catch (error) {
    if (sent === undefined || context.signal.aborted || !isRequestFailure(error)) throw error
    throw unknownStop(name)
  }
}

const unknownStop = (name: string, seenSince?: string): UpgradeStop =>
  new UpgradeStop(
    ...(['unknown', 'unknown'] as const),
    `${name} was written, and no answer came: the outcome is unknown${seenSince === undefined ? '' : `; since then: ${seenSince}`}`,
    'run it again',
  )

const definitionsOf = ({ cluster }: CrdChannel) => cluster.client.resource(customResourceDefinitions, 'v1')

async function sendOnce(
  channel: CrdChannel,
  name: string,
  { writer, body }: CrdWrite,
  dryRun: boolean,
): Promise<Definition> {
  const { context, forceConflicts } = channel
  const definitions = definitionsOf(channel)
  const { manager: fieldManager, operation } = writer
  const limit = deadline(context.world.clock, lookMs, context.signal)
  try {
    return operation === 'Apply'
      ? await definitions.apply({ name }, body, limit.signal, { fieldManager, dryRun, force: forceConflicts })
      : await definitions.patch({ name }, body, limit.signal, { fieldManager, dryRun })
  } finally {
    limit.dispose()
  }
}

/** Another manager owns a field that the write changes. A changed resourceVersion is a conflict too, and another one. */
const isFieldConflict = (error: unknown): boolean =>
  isConflict(error) &&
  error instanceof ApiError &&
  error.status.details?.causes?.some(({ reason }) => reason === 'FieldManagerConflict') === true

function refusalStop(name: string, error: unknown): UpgradeStop {
  if (isFieldConflict(error)) {
    const { message } = error as ApiError
    const next = '--force-conflicts takes these fields over, as kubectl apply --server-side does'
    return new UpgradeStop('stopped', 'incomplete', `${name}: ${message}`, next)
  }
  const { message } = notSeenError(`${name} could not be written`, error)
  if (isConflict(error)) {
    const because = `others change ${name} at the same time: ${message}`
    return new UpgradeStop('aborted', 'aborted', because, 'run the same command again')
  }
  return new UpgradeStop('stopped', isTransient(error) ? 'notSeen' : 'incomplete', message)
}
