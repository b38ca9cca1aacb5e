import type { RehearsedKind } from '../path/rehearsed-kind.ts'
import type { RehearsalRun } from './rehearsal-run.ts'

/** Objects that a webhook converts can be neither read in every version nor migrated here. */
export function findNoConverter(run: RehearsalRun, { name }: RehearsedKind): void {
  const message = `${name} is converted by a webhook, which is not here: what becomes of its objects is not known`
  const fix = 'give "conversions": a module that exports a function for each such CRD'
  run.find({ level: 'could not see', rule: 'no-converter', message, fix, resource: name })
}
