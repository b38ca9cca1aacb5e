import { currentServers } from '../lab/lab.ts'
import { isStored, type PathStep } from '../path/rehearsal-path.ts'
import type { RehearsedKind } from '../path/rehearsed-kind.ts'
import { describeNotAsked, isUntested } from '../verdict/decide-coverage.ts'
import type { RehearsalRun } from './rehearsal-run.ts'

/** The kinds that a server has which is up to date. */
export const knownKinds = (run: RehearsalRun): ReadonlySet<RehearsedKind> =>
  new Set(
    run.kinds.filter((kind) =>
      currentServers(run.lab).some((server) => run.versionsAt(server, kind) !== undefined),
    ),
  )

/** Says of a step what it does not show: kinds without objects, and servers that were not asked. */
export function findUntested(
  run: RehearsalRun,
  before: ReadonlySet<RehearsedKind>,
  later: readonly PathStep[],
): void {
  const after = knownKinds(run)
  for (const kind of run.kinds) {
    const coverage = {
      isKnown: { before: before.has(kind), after: after.has(kind) },
      objects: run.ledger.of(kind).length,
      isBornLater: later.some(({ objects }) => createsOf(kind, objects)),
      isExplained: run.reasons.some(({ level, resource }) => level !== 'note' && resource === kind.name),
    }
    if (!isUntested(coverage)) continue
    const message = `there is no object of ${kind.name}: the step shows nothing about it`
    const fix = 'let this step or an earlier one create some: "objects: 5"'
    run.find({ level: 'could not see', rule: 'no-objects', message, fix, resource: kind.name })
  }
  const notAsked = run.ledger.size === 0 ? undefined : describeNotAsked(run.serverStates)
  if (notAsked) run.find(notAsked)
}

function createsOf({ group, kind }: RehearsedKind, objects: PathStep['objects']): boolean {
  if (typeof objects === 'number') return objects > 0
  if (objects === undefined || isStored(objects)) return false
  return objects.some((each) => each.kind === kind && each.apiVersion.split('/')[0] === group)
}
