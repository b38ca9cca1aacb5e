import type { ExitWord } from '../../output/exit-codes.ts'
import { placeText } from '../documents/index.ts'
import type { CrdPlan } from '../plan/crd-plan.ts'
import type { CrdLook } from './crd-look.ts'
import type { LossGroup } from './loss-groups.ts'
import { acceptFlag } from './upgrade-options.ts'
import type { UpgradeStop } from './upgrade-stop.ts'

export type UpgradeResult =
  | 'upgraded'
  | 'would be upgraded'
  | 'unchanged'
  /** With `--back`: the CRD is as it was before the upgrade. */
  | 'put back'
  | 'would be put back'
  /** With `--back`: there is nothing to put back. */
  | 'skipped'
  /** Steps were taken, and the command stopped for another reason than this CRD. */
  | 'partly done'
  /** No steps lead from the live CRD to the new one. */
  | 'impossible'
  /** Fields of stored objects would be lost or refused, or could not be compared, and that was not accepted. */
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
  /** The file, and the line in which the CRD begins. */
  readonly place: { readonly file: string; readonly line: number }
  readonly result: UpgradeResult
  readonly because: string
  readonly exit: ExitWord
  readonly next?: string | undefined
  readonly plan?: CrdPlan
  /** How many objects there are; absent if they could not be read, or the server did not count them. */
  readonly objects?: number
  readonly losses: readonly LossGroup[]
  readonly warnings: readonly string[]
  /** Whose field manager writes it. */
  readonly fieldManager?: string
  readonly managedBy: readonly string[]
  /** The way back: the CRD shall be as it was before an upgrade. */
  readonly isBack?: true
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
  const { file, line } = document.place
  return {
    ...{ definition: name, file: placeText(document.place), place: { file, line } },
    ...{ ...endOf(look, state), plan },
    ...(objects === undefined ? {} : { objects }),
    ...{ losses, warnings, fieldManager: writer.manager, managedBy, done: state.done },
    ...(state.proof === undefined ? {} : { proof: state.proof }),
    ...(savedObjects === undefined ? {} : { savedObjects }),
    ...(look.file === 'old' ? { isBack: true as const } : {}),
  }
}

/** What to do after a run that ended in the middle. */
export function nextText(file: CrdLook['file']): string {
  const again = 'run the same command again to go on'
  return file === 'old' ? again : `${again}, or with --back to put the CRDs back as they were`
}

type End = Pick<UpgradeReport, 'result' | 'because' | 'exit' | 'next'>

function endOf(
  { plan, live, name, file, oldOwners, skip, accept }: CrdLook,
  { stop, isOver, isStopped, dryRun, proof, done }: UpgradeState,
): End {
  if (skip !== undefined) return { result: 'skipped', because: skip, exit: 'proven' }
  if (stop !== undefined) {
    return { result: stop.result, because: stop.message, exit: stop.exit, next: stop.next }
  }
  if (plan.kind === 'none') {
    return { result: 'unchanged', because: `the live CRD is the ${file} one`, exit: 'proven' }
  }
  if (isOver) {
    const how = proof === undefined ? '' : `; its objects were rewritten: ${proof}`
    const applied = file === 'old' ? 'the CRD is as it was before the upgrade' : 'the new file is applied'
    const because = live === undefined ? 'created' : `${applied}${how}`
    const next = oldOwners && `strata clean-managed-fields ${name}${acceptFlag(accept)}: ${oldOwners}`
    return { result: file === 'old' ? 'put back' : 'upgraded', because, next, exit: 'proven' }
  }
  if (isStopped && done.length > 0) {
    const because = `the command stopped after this step: ${done.at(-1)}`
    return { result: 'partly done', because, exit: 'incomplete', next: nextText(file) }
  }
  if (isStopped) return { result: 'not done', because: 'the command stopped before it', exit: 'incomplete' }
  const because =
    plan.refusal === undefined ? 'the server accepts it' : 'the server accepts it after the steps'
  return dryRun
    ? { result: file === 'old' ? 'would be put back' : 'would be upgraded', because, exit: 'rehearsed' }
    : { result: 'not done', because: 'it was not confirmed', exit: 'incomplete' }
}
