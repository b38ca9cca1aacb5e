/**
 * What commands about stored objects end with; the same word has the same number in all of them. Nothing but 0 says that
 * everything is proven, so that a script which only asks for success never takes less for it.
 */
export const exitCodes = {
  proven: 0,
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
  'observedClean',
  'unknown',
  'incomplete',
  'aborted',
  'notSeen',
  'usage',
  'stopped',
]

/** Of several resources, what is to be said of all of them together. */
export function worstOf(words: readonly ExitWord[]): ExitWord {
  return words.reduce<ExitWord>(
    (worst, each) => (fromBestToWorst.indexOf(each) > fromBestToWorst.indexOf(worst) ? each : worst),
    'proven',
  )
}

export const exitCodesHelp = `Exit codes, the same for migrate, census, verify and prune:
  0    done, and proven
  1    incomplete: objects were set aside or are stored otherwise; or a wish was refused
  2    mistyped; nothing was done
  3    done, and observed clean: nothing else was found, but no server guards it
  4    aborted: the servers disagree, or what they write has changed meanwhile
  5    could not be seen, or not be gone on with: no answer, no rights, no such resource
  6    unknown: nothing is known to be wrong, nor to be right
  130  stopped by Ctrl-C`
