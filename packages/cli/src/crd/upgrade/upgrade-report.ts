import type { ExitWord } from '../../output/exit-codes.ts'
import { placeText } from '../documents/index.ts'
import type { CrdPlan } from '../plan/crd-plan.ts'
import type { CrdLook } from './crd-look.ts'
import type { LossGroup } from './loss-groups.ts'
import type { UpgradeStop } from './upgrade-stop.ts'

export type UpgradeResult =
  | 'upgraded'
  | 'would be upgraded'
  | 'unchanged'
  /** No steps lead from the live CRD to the new one. */
  | 'impossible'
  /** Fields of stored objects would be lost or refused, and that was not accepted. */
  | 'lossy'
  | 'stopped'
  /** Others changed the CRD meanwhile. */
  | 'aborted'
  /** Nothing is wrong with this CRD; another one stopped the command. */
  | 'not done'
  | 'not seen'
  | 'unknown'

/** What became of one CRD, for users and programs. */
export interface UpgradeReport {
  readonly definition: string
  readonly file: string
  readonly result: UpgradeResult
  readonly because: string
  readonly exit: ExitWord
  readonly next?: string | undefined
  readonly plan?: CrdPlan
  /** How many objects were compared; absent if none could be read beforehand. */
  readonly objects?: number
  readonly losses: readonly LossGroup[]
  readonly warnings: readonly string[]
  /** Whose field manager writes it. */
  readonly fieldManager?: string
  readonly managedBy: readonly string[]
  /** The steps that were taken by this run. */
  readonly done: readonly string[]
  /** The weakest result of a migration of this run. */
  readonly proof?: string
  /** Where objects were saved that lose a field. */
  readonly savedObjects?: string
}

export interface UpgradeState {
  readonly done: readonly string[]
  readonly isOver: boolean
  /** What stopped this CRD. */
  readonly stop: UpgradeStop | undefined
  /** Something stopped the command, here or at another CRD. */
  readonly isStopped: boolean
  readonly dryRun: boolean
  readonly proof?: string
}

export function reportOf(look: CrdLook, state: UpgradeState): UpgradeReport {
  const { name, document, plan, objects, losses, warnings, writer, managedBy, savedObjects } = look
  return {
    ...{ definition: name, file: placeText(document.place), ...endOf(look, state), plan },
    ...(objects === undefined ? {} : { objects }),
    ...{ losses, warnings, fieldManager: writer.manager, managedBy, done: state.done },
    ...(state.proof === undefined ? {} : { proof: state.proof }),
    ...(savedObjects === undefined ? {} : { savedObjects }),
  }
}

type End = Pick<UpgradeReport, 'result' | 'because' | 'exit' | 'next'>

function endOf({ plan, live }: CrdLook, { stop, isOver, isStopped, dryRun, proof }: UpgradeState): End {
  if (stop !== undefined) {
    return { result: stop.result, because: stop.message, exit: stop.exit, next: stop.next }
  }
  if (plan.kind === 'none') {
    return { result: 'unchanged', because: 'the live CRD is the new one', exit: 'proven' }
  }
  if (isOver) {
    const how = proof === undefined ? '' : `; its objects were rewritten: ${proof}`
    const because = live === undefined ? 'created' : `the new file is applied${how}`
    return { result: 'upgraded', because, exit: 'proven' }
  }
  if (isStopped) return { result: 'not done', because: 'another CRD stopped the command', exit: 'incomplete' }
  const because =
    plan.refusal === undefined ? 'the server accepts it' : 'the server accepts it after the steps'
  return dryRun
    ? { result: 'would be upgraded', because, exit: 'rehearsed' }
    : { result: 'not done', because: 'it was not confirmed', exit: 'incomplete' }
}
