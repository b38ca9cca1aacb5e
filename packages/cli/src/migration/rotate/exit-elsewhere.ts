import { type ExitWord, worstOf } from '../../output/exit-codes.ts'

export interface EndElsewhere {
  readonly step: string
  /** What could not be seen. */
  readonly unseen: readonly string[]
  /** Whether the file of the servers was given. Without it no key is known. */
  readonly hasFile: boolean
  /** The results of the migrations of this run. */
  readonly migrated: readonly ExitWord[]
}

/** The exit code where no records tell which keys servers have. */
export function exitElsewhere({ step, unseen, hasFile, migrated }: EndElsewhere): ExitWord {
  if (step === 'drop') return 'observedClean'
  if (step === 'done') return unseen.length > 0 ? 'unknown' : 'observedClean'
  if (step === 'begin' && !hasFile) return 'unknown'
  if (step === 'blocked') return worstOf([...migrated, unseen.length > 0 ? 'unknown' : 'incomplete'])
  const weak = migrated.filter((each) => each !== 'observedClean')
  if (step === 'rewrite' && migrated.length > 0) return worstOf([...weak, 'unknown'])
  return step === 'wait' ? 'unknown' : 'incomplete'
}
