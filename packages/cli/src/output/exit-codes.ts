/**
 * The exit codes of commands about stored objects. Without --accept only 0 means that everything is proven, so that a script
 * which checks for success never accepts less. `strata status` has its own codes (commands/status.ts): there "not seen" is 2.
 */
export const exitCodes = {
  proven: 0,
  /** A dry run: no object would be refused. Nothing was written, so nothing is proven; only the number is the same. */
  rehearsed: 0,
  /** There was nothing to do, so nothing was looked into: nothing is proven. */
  nothingToDo: 0,
  /** Some objects were set aside or are stored differently, or prune refused. */
  incomplete: 1,
  /** A wrong flag or argument; nothing was done. */
  usage: 2,
  observedClean: 3,
  /** The servers disagree, or their storage version changed meanwhile. */
  aborted: 4,
  /** No answer, no permission or no such resource. */
  notSeen: 5,
  /** Neither proven nor disproven. */
  unknown: 6,
  /** Only `strata check`: unknown, because this program does not know a release. */
  unknownRelease: 7,
  /** Stopped by Ctrl-C. */
  stopped: 130,
} as const

export type ExitWord = keyof typeof exitCodes

const fromBestToWorst: readonly ExitWord[] = [
  'proven',
  'rehearsed',
  'nothingToDo',
  'observedClean',
  'unknown',
  'unknownRelease',
  'incomplete',
  'aborted',
  'notSeen',
  'usage',
  'stopped',
]

/** The result for several resources together: the worst. Without any resource nothing is known. */
export function worstOf(words: readonly ExitWord[]): ExitWord {
  if (words.length === 0) return 'unknown'
  return words.reduce<ExitWord>(
    (worst, each) => (fromBestToWorst.indexOf(each) > fromBestToWorst.indexOf(worst) ? each : worst),
    'proven',
  )
}

/** What `--accept` of a command takes. */
export const acceptances = ['proven', 'observed-clean', 'unknown'] as const
export type Acceptance = (typeof acceptances)[number]

const acceptedBy: Readonly<Record<Acceptance, ReadonlySet<ExitWord>>> = {
  proven: new Set(),
  'observed-clean': new Set(['observedClean']),
  unknown: new Set(['observedClean', 'unknown']),
}

/** The exit code of a command, with 0 for what the user accepts. Only a success is ever weak enough to be accepted. */
export function acceptedExit(word: ExitWord, accept: Acceptance): number {
  return acceptedBy[accept].has(word) ? 0 : exitCodes[word]
}

/** One of several results. A write without an answer is unknown too, and it is no success. */
export interface Ended {
  readonly exit: ExitWord
  readonly isSuccess: boolean
}

/** The exit code of several results together: 0 if each is a success that the user accepts. */
export function acceptedExitOfAll(ended: readonly Ended[], accept: Acceptance): number {
  return worstCode(
    ended.map(({ exit, isSuccess }) => (isSuccess ? acceptedExit(exit, accept) : exitCodes[exit])),
  )
}

/** The same for numbers of several commands or clusters; a number of no word is worse than all. */
export function worstCode(codes: readonly number[]): number {
  const order = fromBestToWorst.map((word): number => exitCodes[word])
  const rank = (code: number): number => (order.includes(code) ? order.indexOf(code) : order.length)
  if (codes.length === 0) return exitCodes.unknown
  return codes.reduce((worst, each) => (rank(each) > rank(worst) ? each : worst), exitCodes.proven)
}

/** Printed if --all finds no resource. */
export const nothingServed =
  'nothing was checked, so nothing is known: the cluster serves no resource that can be listed and written'

export const exitCodesHelp = `Exit codes, the same for migrate, census, verify and prune:
  0    proven: every object is stored as it should be, and no server can store one otherwise;
       prune: also "nothing to prune", which proves nothing
  1    incomplete: objects were refused, or are stored in an old version or key; prune: it refused
  2    a flag or argument is invalid; nothing was done
  3    observed clean: nothing was left to rewrite, but a server may still store an old version. The best on other clusters
  4    aborted: the servers disagree, or their storage version changed meanwhile
  5    failed: no answer, no permission, or no such resource
  6    unknown: nothing is known to be wrong, and nothing is proven; also if no resource was checked;
       prune: a storage migration runs or did not succeed, and may have cut status.storedVersions
  130  stopped by Ctrl-C
"Nothing to prune" ends with 0 and proves nothing: status.storedVersions lists no other version (-o json: nothingToDo).
With --accept, a result that you accept ends with 0 instead of 3 or 6.
Each resource has its own row; the worst one decides. From best to worst: 0, 3, 6, 1, 4, 5, 130.`
