import type { History } from '../history.ts'
import { StoreLog } from '../store-log.ts'
import { timelinesOf } from '../timelines.ts'
import { acceptedNames } from './accepted-names.ts'
import { comesToRest, noBugs } from './comes-to-rest.ts'
import { completeStates } from './complete-states.ts'
import { currentDefinition } from './current-definition.ts'
import { ownReport, trueConsistency } from './discovery-reports.ts'
import { entryByDefinition } from './entry-by-definition.ts'
import { everyoneCounted } from './everyone-counted.ts'
import { forgottenOnProof } from './forgotten-on-proof.ts'
import { freshReads } from './fresh-reads.ts'
import { heldClaims } from './held-claims.ts'
import { honestAgreement } from './honest-agreement.ts'
import { joinOrigin } from './join-origin.ts'
import { leavesLast } from './leaves-last.ts'
import { liveNotExpelled } from './live-not-expelled.ts'
import { migrationProof } from './migration-proof.ts'
import { noFlipBack } from './no-flip-back.ts'
import { noLostWrite } from './no-lost-write.ts'
import { oneVoice } from './one-voice.ts'
import { originDecides } from './origin-decides.ts'
import { persistedVersions } from './persisted-versions.ts'
import { provenClean } from './proven-clean.ts'
import { prunedOnProof } from './pruned-on-proof.ts'
import { quietStore } from './quiet-store.ts'
import { recordedVersion } from './recorded-version.ts'
import { restoredStore } from './restored-store.ts'
import { honestSelection, unanimousSelection } from './selection.ts'
import { persistedKeys, readableKeys, removedKeys } from './stored-keys.ts'
import { trueAbsence } from './true-absence.ts'
import { trueLists } from './true-lists.ts'
import { trueMirror } from './true-mirror.ts'
import { trueNoOps } from './true-no-ops.ts'
import { completeWatches, trueWatches } from './true-watches.ts'
import type { Checker, Violation } from './violation.ts'

export type { Violation } from './violation.ts'

export const checkers: readonly Checker[] = [
  recordedVersion,
  migrationProof,
  persistedVersions,
  provenClean,
  prunedOnProof,
  forgottenOnProof,
  completeStates,
  heldClaims,
  persistedKeys,
  readableKeys,
  removedKeys,
  honestAgreement,
  honestSelection,
  unanimousSelection,
  everyoneCounted,
  liveNotExpelled,
  oneVoice,
  leavesLast,
  ownReport,
  trueConsistency,
  quietStore,
  noFlipBack,
  noLostWrite,
  trueNoOps,
  freshReads,
  trueLists,
  trueWatches,
  completeWatches,
  currentDefinition,
  entryByDefinition,
  acceptedNames,
  trueAbsence,
  trueMirror,
  originDecides,
  comesToRest,
  noBugs,
]

/** The checkers of all timelines together, where the store was restored. */
const acrossTimelines: readonly Checker[] = [restoredStore]

/** All that was broken, in the order of time. */
export const checkHistory = (history: History): Violation[] =>
  check([...checkers, ...acrossTimelines], history)

/** The same of a history that goes on, by those checkers whose name is given. */
export function checkSoFar(history: History, names: readonly string[]): Violation[] {
  return check(
    [...checkers, ...acrossTimelines].filter(({ name, ofTheEnd }) => !ofTheEnd && names.includes(name)),
    history,
  )
}

function check(by: readonly Checker[], history: History): Violation[] {
  const behind = history.origins.flatMap((origin) =>
    checkFleet(by, joinOrigin(history, origin)).map(({ text, ...found }) => ({
      ...found,
      text: `in the aggregated fleet: ${text}`,
    })),
  )
  return [...checkFleet(by, history), ...behind].sort((a, b) => a.atMs - b.atMs)
}

/** One fleet and its store. */
function checkFleet(by: readonly Checker[], history: History): Violation[] {
  const timelines = timelinesOf(history)
  const found = timelines.flatMap((timeline, index) => {
    const isLast = index === timelines.length - 1
    return checkOne(
      by.filter((each) => !acrossTimelines.includes(each) && (isLast || !each.ofTheEnd)),
      timeline,
    )
  })
  const across = checkOne(
    by.filter((each) => acrossTimelines.includes(each)),
    history,
  )
  return [...found, ...across].sort((a, b) => a.atMs - b.atMs)
}

function checkOne(by: readonly Checker[], history: History): Violation[] {
  const log = new StoreLog(history)
  return by.flatMap(({ name, check }) =>
    [...check(history, log)].map((found) => ({ checker: name, ...found })),
  )
}
