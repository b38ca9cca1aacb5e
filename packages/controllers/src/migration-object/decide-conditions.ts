import { migrationPaused } from '@strata/api'
import type { MigrationGroup, ViewedCondition } from './migration-view.ts'

/** How many objects are not where they should be, of how many; unknown before they were counted. */
export interface Counts {
  readonly left: number
  readonly total: number
}

/** What is to be said about a migration. */
export type Saying =
  | { readonly kind: 'running'; readonly counts?: Counts; readonly because?: string; readonly note?: string }
  /** Until somebody says otherwise, which is how. */
  | { readonly kind: 'paused'; readonly next: string }
  | { readonly kind: 'succeeded'; readonly note?: string }
  | { readonly kind: 'failed'; readonly message: string }
  /** It had come to an end before, and did not say that it runs no more. */
  | { readonly kind: 'over' }

const known: ReadonlySet<string> = new Set(['Running', 'Succeeded', 'Failed'])

/** The conditions that say so, in the words of upstream (behaviour.md 3.4 and 4.3), after those that were there. */
export function decideConditions(
  group: MigrationGroup,
  before: readonly ViewedCondition[],
  saying: Saying,
  now: string,
): readonly ViewedCondition[] {
  return group === 'migration.k8s.io'
    ? versionedConditions(before, saying, now)
    : ownConditions(before, saying, now)
}

/** One of the three is there, and conditions that others have set stay. */
function versionedConditions(
  before: readonly ViewedCondition[],
  saying: Saying,
  now: string,
): readonly ViewedCondition[] {
  if (saying.kind === 'over') {
    return before.filter(({ type }) => type !== 'Running')
  }
  const others = before.filter((each) => !known.has(each.type))
  if (saying.kind === 'paused') return [...others, { ...pausedCondition(saying), lastUpdateTime: now }]
  const type = saying.kind === 'running' ? 'Running' : saying.kind === 'failed' ? 'Failed' : 'Succeeded'
  const standing = before.find((each) => each.type === type)
  const message = saying.kind === 'failed' ? saying.message : versionedMessage(saying)
  const said: ViewedCondition = { type, status: 'True', ...(message === '' ? {} : { message }) }
  const isSame = standing?.status === 'True' && (standing.message ?? '') === message
  return [...others, isSame ? standing : { ...said, lastUpdateTime: now }]
}

/** Upstream says nothing here. What is not as somebody asked for it is said, and why it does not go on. */
function versionedMessage(saying: Saying & { readonly kind: 'running' | 'succeeded' }): string {
  const because = saying.kind === 'running' ? saying.because : undefined
  return [because === undefined ? undefined : `${transient}${because}`, saying.note]
    .filter((each) => each !== undefined)
    .join('; ')
}

/** Each stays where it is, with the time at which its status last changed. */
function ownConditions(
  before: readonly ViewedCondition[],
  saying: Saying,
  now: string,
): readonly ViewedCondition[] {
  const running = { type: 'Running', status: 'True', reason: 'MigrationRunning' }
  const over = {
    ...{ type: 'Running', status: 'False', reason: 'MigrationCompleted', message: 'Migration completed' },
  }
  switch (saying.kind) {
    case 'running':
      return withCondition(before, { ...running, message: runningMessage(saying) }, now)
    case 'paused':
      return withCondition(before, pausedCondition(saying), now)
    case 'over':
      return withCondition(before, over, now)
    case 'succeeded': {
      const reason = 'StorageVersionMigrationSucceeded'
      const note = saying.note === undefined ? '' : `; ${saying.note}`
      const said = { type: 'Succeeded', status: 'True', reason, message: `Migration completed${note}` }
      return withCondition(withCondition(before, over, now), said, now)
    }
    case 'failed': {
      const reason = 'StorageVersionMigrationFailed'
      const said = { type: 'Failed', status: 'True', reason, message: saying.message }
      return withCondition(withCondition(before, over, now), said, now)
    }
  }
}

function withCondition(
  before: readonly ViewedCondition[],
  said: ViewedCondition,
  now: string,
): readonly ViewedCondition[] {
  const standing = before.find(({ type }) => type === said.type)
  const lastTransitionTime = standing?.status === said.status ? (standing.lastTransitionTime ?? now) : now
  const next = { ...said, lastTransitionTime }
  return standing ? before.map((each) => (each === standing ? next : each)) : [...before, next]
}

/** It has not ended, and does not run. */
function pausedCondition({ next }: Saying & { readonly kind: 'paused' }): ViewedCondition {
  const message = `The migration is paused; to go on: ${next}`
  return { type: 'Running', status: 'False', reason: migrationPaused, message }
}

/** As upstream begins it. */
const transient = 'transient error: '

/** What a condition that was said here tells of what is waited for. */
export function waitingIn(message = ''): string | undefined {
  const at = message.indexOf(transient)
  return at < 0 ? undefined : message.slice(at + transient.length)
}

export function runningMessage({
  counts,
  because,
}: Omit<Saying & { readonly kind: 'running' }, 'kind'>): string {
  const { left = 0, total = 0 } = counts ?? {}
  const count =
    total === 0
      ? ''
      : left > 0
        ? `, ${left}/${total} objects not yet migrated`
        : `, ${total} objects verified migrated`
  return `The migration is running${count}${because === undefined ? '' : `; ${transient}${because}`}`
}

/** Why a migration has failed, with how much of it was left. */
export function failureMessage(because: string, counts?: Counts): string {
  const left = counts && counts.total > 0 ? `${counts.left}/${counts.total} not yet migrated. ` : ''
  return `${left}migration encountered unhandled error: ${because}`
}
