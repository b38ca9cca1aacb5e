import { type Client, isRequestFailure, type ObjectReference } from '@strata/client'
import { deadline, sleep, type World } from '@strata/world'
import type { MigrationAddress } from '../target/decide-address.ts'
import type { Refusal } from './classify-error.ts'
import { decideRetry, noFailures } from './decide-retry.ts'
import { Rewriter } from './rewriter.ts'
import { type Candidate, settleObject } from './settle-object.ts'

export interface RewriteOneOptions {
  readonly world: Pick<World, 'clock' | 'random'>
  readonly client: Client
  readonly address: MigrationAddress
  readonly object: ObjectReference
  /** The record guards every write (`MigrationTarget`). */
  readonly fenced: boolean
  readonly dryRun: boolean
  readonly requestTimeoutMs: number
}

export type RewrittenOne =
  /** Stored as it would be written now, or in a dry run: the server would take it. */
  | { readonly kind: 'rewritten' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'refused'; readonly reason: Refusal; readonly message: string }

/** A user waits for the answer. */
const tries = 3

/** Rewrites one object as a pass would, after what had refused it was mended. */
export async function rewriteOne(
  { world, client, address, object, fenced, dryRun, requestTimeoutMs }: RewriteOneOptions,
  signal: AbortSignal,
): Promise<RewrittenOne> {
  const rewriter = new Rewriter({ client, address, dryRun })
  const options = { world, rewriter, dryRun, requestTimeoutMs, fenced, currentAfter: undefined }
  let candidate = await begin(rewriter, object, options, address.way, signal)
  if (candidate === undefined) return { kind: 'gone' }
  let failures = noFailures
  for (let failed = 1; ; ) {
    const step = await settleObject(options, candidate, signal)
    if (step.kind === 'settled') return { kind: step.as === 'gone' ? 'gone' : 'rewritten' }
    if (step.kind === 'refused') return { kind: 'refused', reason: step.reason, message: step.message }
    candidate = step.candidate
    if (step.kind === 'go on') continue
    const { reason, message, isThrottled, retryAfterMs } = step
    const seen = { isThrottled, othersSucceeded: true, retryAfterMs }
    const decision = decideRetry(failures, seen, undefined, world.random.fraction())
    if (failed++ >= tries || decision.do === 'give up') return { kind: 'refused', reason, message }
    failures = decision.failures
    await sleep(world.clock, decision.afterMs, signal)
  }
}

/** With the resourceVersion of now, if it can be read: then the answer shows whether the write changed the stored bytes. */
async function begin(
  rewriter: Rewriter,
  { name, namespace }: ObjectReference,
  { world, requestTimeoutMs }: Pick<RewriteOneOptions, 'world' | 'requestTimeoutMs'>,
  way: MigrationAddress['way'],
  signal: AbortSignal,
): Promise<Candidate | undefined> {
  const object = namespace === undefined ? { name } : { namespace, name }
  const limit = deadline(world.clock, requestTimeoutMs, signal)
  try {
    const found = await rewriter.look(object, limit.signal)
    return found && { object: found, way, rereads: 0 }
  } catch (error) {
    if (signal.aborted || !isRequestFailure(error)) throw error
    // The write fails for the same reason, and is classified.
    return { object, way, rereads: 0 }
  } finally {
    limit.dispose()
  }
}
