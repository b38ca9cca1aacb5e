/**
 * What commands about stored objects end with; the same word has the same number in all of them. Nothing but 0 says that
 * everything is proven, so that a script which only asks for success never takes less for it.
 */
export const exitCodes = {
  proven: 0,
  /** Nobody would be refused. Nothing was written, and so nothing is proven: only the number is the same. */
  rehearsed: 0,
  /** Something is left: objects that were set aside, or are stored otherwise. Also of a refused wish. */
  incomplete: 1,
  /** Mistyped; nothing was done. */
  usage: 2,
  observedClean: 3,
  /** The servers disagree, or what they write has changed meanwhile. */
  aborted: 4,
  /** No answer, no rights, no such resource: it could not be seen, or not be gone on with. */
  notSeen: 5,
  /** Nothing is known to be wrong, and nothing is known to be right. */
  unknown: 6,
  /** By Ctrl-C. */
  stopped: 130,
} as const

export type ExitWord = keyof typeof exitCodes

const fromBestToWorst: readonly ExitWord[] = [
  'proven',
  'rehearsed',
  'observedClean',
  'unknown',
  'incomplete',
  'aborted',
  'notSeen',
  'usage',
  'stopped',
]

/** Of several resources, what is to be said of all of them together. To have looked at nothing is to know nothing. */
export function worstOf(words: readonly ExitWord[]): ExitWord {
  if (words.length === 0) return 'unknown'
  return words.reduce<ExitWord>(
    (worst, each) => (fromBestToWorst.indexOf(each) > fromBestToWorst.indexOf(worst) ? each : worst),
    'proven',
  )
}

/** Said where --all finds nothing to look at, beside what such a command ends with. */
export const nothingServed =
  'nothing was looked at, and so nothing is known: the cluster serves no resource that can be listed and written'

export const exitCodesHelp = `Exit codes, the same for migrate, census, verify and prune:
  0    proven: everything is stored as it should be, and nothing else can be
  1    incomplete: objects were set aside or are stored otherwise; of prune also: it refuses
  2    mistyped; nothing was done
  3    observed clean: nothing else was found, but no server guards that. The best there is where Strata does not serve
  4    aborted: the servers disagree, or what they write has changed meanwhile
  5    failed: it could not be seen, or not be gone on with: no answer, no rights, no such resource
  6    unknown: nothing is known to be wrong, nor to be right; also where there was nothing to look at
  130  stopped by Ctrl-C
Of several resources each has its row, and the worst decides: 0, 3, 6, 1, 4, 5, 130 from best to worst.`
