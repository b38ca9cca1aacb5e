import type { History } from '../history.ts'
import { StoreLog } from '../store-log.ts'
import { comesToRest, noBugs } from './comes-to-rest.ts'
import { everyoneCounted } from './everyone-counted.ts'
import { freshReads } from './fresh-reads.ts'
import { honestAgreement } from './honest-agreement.ts'
import { liveNotExpelled } from './live-not-expelled.ts'
import { migrationProof } from './migration-proof.ts'
import { noLostWrite } from './no-lost-write.ts'
import { recordedVersion } from './recorded-version.ts'
import { trueNoOps } from './true-no-ops.ts'
import type { Checker, Violation } from './violation.ts'

export type { Violation } from './violation.ts'

export const checkers: readonly Checker[] = [
  recordedVersion,
  migrationProof,
  honestAgreement,
  everyoneCounted,
  liveNotExpelled,
  noLostWrite,
  trueNoOps,
  freshReads,
  comesToRest,
  noBugs,
]

/** All that was broken, in the order of time. */
export function checkHistory(history: History): Violation[] {
  const log = new StoreLog(history)
  return checkers
    .flatMap(({ name, check }) => [...check(history, log)].map((found) => ({ checker: name, ...found })))
    .sort((a, b) => a.atMs - b.atMs)
}
